-- When whoever uses a session last showed who he is. Sessions from before this column have to show it at the next act that asks.
alter table sessions add column proven_at timestamptz;

-- Changes of ways to sign in: what stood before, whom we told, and the link that brings it back.
create table way_changes (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  user_id bigint not null references users on delete cascade,
  kind text not null check (kind in ('PASSWORD','PHONE','WECHAT_BOUND','WECHAT_UNBOUND','FACTOR_ON','FACTOR_OFF','RECOVERY_CODES')),
  -- the ways as they were before, encrypted; null where nothing can be brought back by a link
  before bytea,
  token_hash bytea unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  undone_at timestamptz,
  -- the message to the old way: the number, and the link encrypted until it is sent
  phone text not null default '',
  sealed bytea,
  send_state text not null check (send_state in ('PENDING','SENDING','SENT','FAILED','NONE')),
  attempts int not null default 0,
  next_at timestamptz,
  last_error text not null default '' check (length(last_error) <= 200),
  check (expires_at > created_at),
  check ((before is null) = (token_hash is null)),
  check (send_state = 'NONE' or phone <> ''),
  check (send_state in ('PENDING','SENDING') or sealed is null)
);
create index way_changes_org on way_changes (org_id, created_at);
create index way_changes_user on way_changes (user_id, id);
create index way_changes_due on way_changes (next_at) where send_state in ('PENDING','SENDING');
call app_protect('way_changes');
