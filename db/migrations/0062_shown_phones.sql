-- The number whose holder last showed at this account that it is his, and when. What an administrator writes is no proof.
alter table users add column shown_phone text not null default '';
alter table users add column phone_shown_at timestamptz;
-- Whether the message about a change goes to a number that its holder showed to be his.
alter table way_changes add column known boolean not null default false;
create index way_changes_sent on way_changes (created_at) where send_state = 'SENT';
