-- Locks that lie further ahead than one can last (src/server/setBack.ts).
create index users_locked on users (locked_until) where locked_until is not null;
