-- Other ways in: scan tickets, WeChat bindings, codes by SMS with their delivery, and the developer inbox of the demo.
create table scan_tickets (
  id uuid primary key default gen_random_uuid(),
  org_id bigint not null references organisations,
  purpose text not null check (purpose in ('LOGIN','BIND')),
  state text not null default 'WAITING' check (state in ('WAITING','SCANNED','CONFIRMED','REFUSED','EXPIRED')),
  -- why it was refused, when not by the person
  problem text not null default '' check (problem in ('','NOT_BOUND','BOUND_ELSEWHERE')),
  secret_hash bytea not null,
  user_id bigint references users on delete cascade,
  openid text check (length(openid) between 1 and 128),
  ip text not null,
  user_agent text not null check (length(user_agent) <= 300),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  consumed_at timestamptz,
  check (expires_at > created_at),
  check (purpose <> 'BIND' or user_id is not null),
  check (state not in ('SCANNED','CONFIRMED') or openid is not null),
  check (consumed_at is null or state = 'CONFIRMED'),
  check (problem = '' or state = 'REFUSED')
);
create index scan_tickets_age on scan_tickets (created_at);
create index scan_tickets_org on scan_tickets (org_id);
create index scan_tickets_user on scan_tickets (user_id) where user_id is not null;
call app_protect('scan_tickets');

-- One WeChat, one account.
create table wechat_bindings (
  user_id bigint primary key references users on delete cascade,
  org_id bigint not null references organisations,
  openid text not null unique check (length(openid) between 1 and 128),
  unionid text not null default '',
  nickname text not null default '' check (length(nickname) <= 60),
  bound_at timestamptz not null default now()
);
create index wechat_bindings_org on wechat_bindings (org_id);
call app_protect('wechat_bindings');

-- A code and the intent to send it. `deliver` is false where nobody waits for it: such a code never verifies.
create table sms_codes (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  phone text not null check (phone ~ '^1[3-9]\d{9}$'),
  purpose text not null check (purpose in ('LOGIN','RESET','CHANGE_PHONE')),
  user_id bigint references users on delete cascade,
  code_hash bytea not null,
  tries int not null default 0 check (tries between 0 and 5),
  ip text not null,
  deliver boolean not null,
  -- encrypted until it is sent, then gone
  sealed bytea,
  send_state text not null check (send_state in ('PENDING','SENDING','SENT','FAILED','NONE')),
  attempts int not null default 0,
  next_at timestamptz,
  last_error text not null default '' check (length(last_error) <= 200),
  created_at timestamptz not null default now(),
  resend_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  check (expires_at > created_at and resend_at > created_at),
  check ((send_state = 'NONE') = not deliver),
  check ((send_state in ('PENDING','SENDING')) = (sealed is not null)),
  -- a number gets one code at a time, whoever asks
  exclude using gist (phone with =, tstzrange(created_at, resend_at) with &&)
);
create index sms_codes_phone on sms_codes (phone, created_at);
create index sms_codes_ip on sms_codes (ip, created_at);
create index sms_codes_age on sms_codes (created_at);
create index sms_codes_due on sms_codes (next_at) where send_state in ('PENDING','SENDING');
create index sms_codes_org on sms_codes (org_id);
create index sms_codes_user on sms_codes (user_id) where user_id is not null;
call app_protect('sms_codes');

-- What the simulated provider would have sent; read on a page that exists only in the demo.
create table dev_messages (
  id bigint generated always as identity primary key,
  org_id bigint not null references organisations,
  phone text not null,
  content text not null,
  created_at timestamptz not null default now()
);
create index dev_messages_org on dev_messages (org_id, created_at);
call app_protect('dev_messages');

create index login_attempts_by_user on login_attempts (user_id, created_at) where user_id is not null;
