-- A second factor: a time-based code (RFC 6238) by an app on the phone. Without confirmed_at somebody began to set it up.
create table second_factors (
  user_id bigint primary key references users on delete cascade,
  org_id bigint not null references organisations,
  -- encrypted
  secret bytea not null,
  confirmed_at timestamptz,
  -- the step of the last code that was taken: each counts once
  last_step bigint not null default 0,
  failed_count int not null default 0 check (failed_count >= 0),
  locked_until timestamptz,
  created_at timestamptz not null
);
create index second_factors_org on second_factors (org_id);
call app_protect('second_factors');
-- what a person may do depends on whether he has one
create trigger bump after insert or delete or update of confirmed_at on second_factors for each statement execute function bump_access_version();

create table recovery_codes (
  user_id bigint not null references second_factors on delete cascade,
  org_id bigint not null references organisations,
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
create index recovery_codes_org on recovery_codes (org_id);
call app_protect('recovery_codes');

-- Between the first and the second step of a sign-in.
create table factor_tickets (
  token_hash bytea primary key,
  org_id bigint not null references organisations,
  user_id bigint not null references users on delete cascade,
  tries int not null default 0 check (tries between 0 and 5),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  check (expires_at > created_at)
);
create index factor_tickets_org on factor_tickets (org_id);
create index factor_tickets_user on factor_tickets (user_id);
create index factor_tickets_age on factor_tickets (created_at);
call app_protect('factor_tickets');
