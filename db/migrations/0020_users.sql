-- Lists of people as their lists order them (newest first, nulls last), without those who are gone.
create index users_created on users (created_at desc nulls last, id desc) where deleted_at is null;
create index users_last_login on users (last_login_at desc nulls last, id desc) where deleted_at is null;
create index users_deleted on users (deleted_at) where deleted_at is not null;
