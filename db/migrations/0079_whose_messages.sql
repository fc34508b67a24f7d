-- Whose people changed how somebody else signs in: what they cause is bounded for them, and holds back nothing that others must know.
select set_config('app.all', 'on', true);

alter table way_changes add column by_org bigint references organisations;

select set_config('app.all', '', true);
