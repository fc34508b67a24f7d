-- An export goes only to who may still see all it holds: the rights and the rows it was made with.
alter table jobs add column made_with jsonb check (jsonb_typeof(made_with) = 'object');
