select set_config('app.all', 'on', true);

-- A machine counts its starts. With another secret or another board it counts anew: what somebody said with the old one
-- must not stand above what the new one says. A trigger, so that no way of giving a secret forgets it.
alter table devices add column boot_epoch int not null default 0 check (boot_epoch between 0 and 999999);
create function begin_boot_epoch() returns trigger language plpgsql as $$
begin
  new.boot_epoch := least(old.boot_epoch + 1, 999999);
  return new;
end $$;
create trigger begin_boot_epoch before update of secret_hash, board_no on devices for each row
  when (old.secret_hash is distinct from new.secret_hash or old.board_no is distinct from new.board_no)
  execute function begin_boot_epoch();

-- Counters that no machine can have reached by starting: those machines count anew at once.
update devices set boot_epoch = 1 where id in (select device_id from device_message_keys
  where boot > lpad(floor(extract(epoch from now()) + 86400)::text, 12, '0') and boot <= '999999999999');

-- What was said under a number, so that other words under the same number are seen. Null: from before.
alter table device_message_keys add column digest bytea check (octet_length(digest) = 8);

-- The lane that the machine named while no such lane was drawn; otherwise lane_id says it.
alter table device_faults add column road int check (road between 1 and 400);
drop index device_faults_open;
create unique index device_faults_open on device_faults (device_id, coalesce(lane_id, -road, 0), code) where closed_at is null;

select set_config('app.all', '', true);
