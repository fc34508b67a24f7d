-- What an account came to behind some of its entries, so that the balance behind any entry is read
-- from the mark before it on (decision 65). A worker writes them, behind the clock.
create table ledger_marks (
  org_id bigint not null references organisations,
  account_id bigint not null references ledger_accounts,
  created_at timestamptz not null,
  entry_id bigint not null,
  balance bigint not null,
  primary key (account_id, created_at, entry_id)
);
create index ledger_marks_time on ledger_marks (created_at);
create index ledger_marks_org on ledger_marks (org_id);
call app_protect('ledger_marks');

-- An entry that comes before marks (a clock was set back): they go, and are written anew.
create function drop_late_marks() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  since timestamptz := (select min(created_at) from added);
begin
  if exists (select from ledger_marks where created_at >= since) then
    delete from ledger_marks where created_at >= since;
  end if;
  return null;
end $$;
create trigger marked after insert on ledger_entries referencing new table as added
  for each statement execute function drop_late_marks();
