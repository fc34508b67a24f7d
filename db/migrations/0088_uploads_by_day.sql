-- What an organisation stored today is summed at each upload (files/server/verbs.ts).
create index uploads_day on uploads (org_id, created_at);
drop index uploads_org;
