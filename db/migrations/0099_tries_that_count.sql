-- How often the channel was still at it: asking again is no try.
alter table refunds add column waited int not null default 0 check (waited >= 0);

-- Messages about changed ways that have a place in the limits of the day (session/server/ways.ts).
alter table way_changes add column placed boolean not null default false;
update way_changes set placed = true where send_state = 'SENT' and created_at > now() - interval '2 days';
create index way_changes_placed on way_changes (created_at) where placed;
drop index way_changes_sent;
