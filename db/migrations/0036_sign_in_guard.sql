-- Who tries to sign in too often: from an address at one account, from a known browser, from an address at any account, at an
-- account from anywhere. Names and addresses are hashed, so that a name nobody has costs the same row.
create table sign_in_guards (
  key bytea primary key check (length(key) = 32),
  org_id bigint not null references organisations,
  -- the name it is about; null: an address over all names
  account bytea check (length(account) = 32),
  kind text not null check (kind in ('PAIR','BROWSER','ADDRESS','ACCOUNT')),
  failures int not null check (failures >= 0),
  -- how often it was shut lately; each time it stays shut twice as long
  strikes int not null default 0 check (strikes >= 0),
  since timestamptz not null,
  until timestamptz,
  check ((kind = 'ADDRESS') = (account is null))
);
create index sign_in_guards_org on sign_in_guards (org_id);
create index sign_in_guards_account on sign_in_guards (account) where account is not null;
create index sign_in_guards_age on sign_in_guards (since);
call app_protect('sign_in_guards');

-- Browsers that somebody signed in with: strangers who guess cannot keep them out.
create table known_browsers (
  user_id bigint not null references users on delete cascade,
  org_id bigint not null references organisations,
  token_hash bytea not null check (length(token_hash) = 32),
  -- stays when the secret changes: wrong tries are counted by it
  browser_id uuid not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null,
  primary key (user_id, token_hash)
);
create index known_browsers_token on known_browsers (token_hash);
create index known_browsers_org on known_browsers (org_id);
create index known_browsers_age on known_browsers (last_seen_at);
call app_protect('known_browsers');

-- A code is guessed from elsewhere without using up the tries of whoever asked for it; codes that strangers ask for do not use up
-- those of a person whose browser is known or who is signed in.
alter table sms_codes add column known boolean not null default false;
alter table sms_codes add column stranger_tries int not null default 0 check (stranger_tries between 0 and 5);
