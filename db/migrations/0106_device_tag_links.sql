-- Which tags a machine carries: those of its own organisation alone. A machine that goes to another organisation leaves them.
create table device_tag_links (
  org_id bigint not null references organisations,
  device_id bigint not null references devices on delete cascade,
  tag_id bigint not null,
  primary key (device_id, tag_id),
  foreign key (org_id, tag_id) references device_tags (org_id, id) on delete cascade
);
create index device_tag_links_tag on device_tag_links (org_id, tag_id, device_id);
call app_protect('device_tag_links', 'device_id');

-- A key of devices with the organisation would do it too, and let a change of owner wait for every message of the machine.
create function check_tag_owner() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from devices where id = new.device_id and org_id = new.org_id for share;
  if not found then
    raise exception 'machine % is not of organisation %', new.device_id, new.org_id
      using errcode = 'check_violation', constraint = 'device_tag_links_owner';
  end if;
  return null;
end $$;
create function drop_tags() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from device_tag_links where device_id = new.id;
  return null;
end $$;
revoke execute on function check_tag_owner(), drop_tags() from public;
create trigger owner after insert or update on device_tag_links for each row execute function check_tag_owner();
create trigger drop_tags after update of org_id on devices
  for each row when (old.org_id <> new.org_id) execute function drop_tags();
