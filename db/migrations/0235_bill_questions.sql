-- What a channel has denied of a bill: a file with trades that somebody made up costs it a question
-- each, so a merchant has so many a day.
alter table payment_bill_days
  add column denied int not null default 0 check (denied >= 0),
  add column denied_on date;
