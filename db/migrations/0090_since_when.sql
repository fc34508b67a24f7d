-- Since when a machine is outside its limits (while within: when it was last measured), and since when its door is open (while shut:
-- when it last said so). Kept as the messages come in, so that sweeps read one row of a machine, however much it said.
alter table device_states add column temp_since timestamptz, add column door_since timestamptz;
update device_states set temp_since = last_seen_at, door_since = last_seen_at where temperature is not null or door_open;
