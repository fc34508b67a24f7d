-- How far each gateway is behind with what machines say and what they should get. Orders that are not paid yet are refused
-- while it is too much: what a customer pays for must leave in time.
create table vend_queues (
  gateway text primary key check (length(gateway) <= 100),
  behind_ms int not null check (behind_ms >= 0),
  told_at timestamptz not null
);
grant select, insert, update, delete on vend_queues to huodao_app;
