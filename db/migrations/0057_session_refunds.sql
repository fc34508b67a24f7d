-- What a session gave back since it last showed who it is: many small refunds ask for a proof as one large one does.
alter table sessions add column unproven_refunds bigint not null default 0 check (unproven_refunds >= 0);
-- failures are counted by guards
alter table users drop column failed_count;
