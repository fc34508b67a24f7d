-- A bill that is asked for is a run before it is compared (decision 66).
alter table reconciliation_runs alter finished_at drop not null;
create index reconciliation_runs_newest on reconciliation_runs (org_id, day desc, id desc);

-- What was done about a difference.
alter table reconciliation_differences add treatment text
  check (treatment in ('CHECKED','SUPPLEMENTED','REFUNDED','CORRECTED','CHANNEL'));

-- Days of which everything agrees, or was explained. Bookings bear the day on which they are made.
create table closed_days (
  day date primary key,
  org_id bigint not null references organisations,
  closed_at timestamptz not null
);
create index closed_days_org on closed_days (org_id, day);
call app_protect('closed_days', null, true);
