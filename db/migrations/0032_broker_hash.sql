-- The secret as Mosquitto's password file wants it, made with secret_hash when the secret is made. Null: nobody knows the secret,
-- or it is from before this column and its machine has not signed in at the built-in broker since.
alter table devices add column broker_hash text check (broker_hash ~ '^\$7\$[1-9][0-9]{0,6}\$[A-Za-z0-9+/]{16}\$[A-Za-z0-9+/]{86}==$');
