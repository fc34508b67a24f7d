-- Machines that a referrer brought: of the organisation he introduced, or below his own.
create table referrer_devices (
  org_id bigint not null references organisations,
  referrer_id bigint not null,
  device_id bigint not null references devices on delete cascade,
  primary key (referrer_id, device_id),
  foreign key (referrer_id, org_id) references referrers (id, org_id) on delete cascade
);
create index referrer_devices_org on referrer_devices (org_id, referrer_id);
create index referrer_devices_device on referrer_devices (device_id);
call app_protect('referrer_devices', 'device_id');

create function referrer_brought(referrer bigint, owner bigint) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from referrers r join organisations b on b.id = coalesce(r.linked_org_id, r.org_id)
    join organisations o on o.id = owner and o.path <@ b.path where r.id = referrer)
$$;
revoke execute on function referrer_brought(bigint, bigint) from public;

create function check_referrer_devices() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare owner bigint;
begin
  select d.org_id into owner from devices d where d.id = new.device_id for share;
  if not referrer_brought(new.referrer_id, owner) then
    raise exception 'machine % is not of whom referrer % introduced', new.device_id, new.referrer_id
      using errcode = 'check_violation', constraint = 'referrer_devices_owner';
  end if;
  return null;
end $$;
-- a machine that goes elsewhere leaves him, and so do those of an organisation that is his no more
create function drop_referrer_devices() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
begin
  delete from referrer_devices l where l.device_id = new.id
    and not referrer_brought(l.referrer_id, new.org_id);
  return null;
end $$;
revoke execute on function check_referrer_devices(), drop_referrer_devices() from public;
create trigger owner after insert or update on referrer_devices
  for each row execute function check_referrer_devices();
create trigger drop_referrer_devices after update of org_id on devices
  for each row when (old.org_id <> new.org_id) execute function drop_referrer_devices();
