-- Since when a lane is locked for its present reason; who sells writes nothing here.
alter table lanes add column locked_at timestamptz;
update lanes set locked_at = now() where status = 'LOCKED';
create function note_lock_time() returns trigger language plpgsql as $$
begin
  if new.locked_at is not distinct from old.locked_at then
    new.locked_at := now();
  end if;
  return new;
end $$;
create trigger lock_time before update of status, lock_reason on lanes for each row
  when (new.status = 'LOCKED' and (old.status <> 'LOCKED' or old.lock_reason is distinct from new.lock_reason))
  execute function note_lock_time();
create index lanes_locked on lanes (org_id, locked_at desc, id) where status = 'LOCKED' and archived_at is null;
