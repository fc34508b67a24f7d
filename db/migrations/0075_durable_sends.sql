-- A row of these tables is durable work (src/server/work.ts) as long as next_at is not null: it is due then, or its lease ends then.
select set_config('app.all', 'on', true);

drop index refunds_due, sms_codes_due, way_changes_due;
create index refunds_due on refunds (next_at) where next_at is not null;
create index sms_codes_due on sms_codes (next_at) where next_at is not null;
create index way_changes_due on way_changes (next_at) where next_at is not null;
-- what waits has a time, or nobody would ever look at it
alter table refunds add check (state not in ('PENDING','PROCESSING') or next_at is not null);
alter table sms_codes add check (send_state not in ('PENDING','SENDING') or next_at is not null);
alter table way_changes add check (send_state not in ('PENDING','SENDING') or next_at is not null);

select set_config('app.all', '', true);
