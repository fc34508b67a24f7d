-- Which word of a machine a column says: its place (start and number, as text that sorts) decides what is newer, without looking
-- through what the machine said since.
alter table device_shadows add column runs_place text check (length(runs_place) <= 60), add column refuses_place text check (length(refuses_place) <= 60);
alter table device_states add column places jsonb not null default '{}';
