-- Who asked for a review last, by words that had to be reviewed anew: he is not who gives it.
alter table ad_materials add column changed_by bigint references users;
