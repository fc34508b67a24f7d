-- A WeChat is bound by the session that asked for the code, and only while that session lasts.
alter table scan_tickets add column session_id uuid references sessions on delete cascade;
create index scan_tickets_session on scan_tickets (session_id) where session_id is not null;
