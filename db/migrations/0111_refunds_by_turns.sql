-- Of each organisation the first refunds that are due, without reading the others (src/server/work.ts).
create index refunds_turns on refunds (org_id, next_at, id) where next_at is not null;
