-- How often the channel was still at it: asking again is no try.
alter table refunds add column waited int not null default 0 check (waited >= 0);
