-- The oldest order of an address gives way where the address is at a limit of its own (orders/server/unpaid.ts).
create index unpaid_holds_address on unpaid_holds (address, order_at);

-- Somebody of another address asked for a place at this machine while it had none, and did not get one.
alter table unpaid_holds add column place_wanted boolean not null default false;
-- Who did not pay then leaves it to others for a while, too: without a lane it is a place of the machine.
alter table unpaid_losses drop constraint unpaid_losses_pkey;
alter table unpaid_losses alter column lane_id drop not null, add constraint unpaid_losses_one unique nulls not distinct (order_id, lane_id);
