-- What every sale changes stays on its page (HOT): no index on what changes each time, and room beside the row.

-- Asked for once an hour, kept up six times a sale: its predicate and its column are those that change.
drop index unpaid_counts_idle;
alter table unpaid_counts set (fillfactor = 50);

-- last_seen_at moves with every message of a machine; the sweep finds who is online by organisation.
drop index device_states_online;
alter table device_states set (fillfactor = 70);
