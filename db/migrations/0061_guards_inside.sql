-- Wrong proofs inside sessions and wrong codes of a second factor are counted and shut as wrong passwords are.
alter table sign_in_guards drop constraint sign_in_guards_kind_check;
alter table sign_in_guards add constraint sign_in_guards_kind_check check (kind in ('PAIR','BROWSER','ADDRESS','ACCOUNT','INSIDE','FACTOR'));
alter table second_factors drop column failed_count, drop column locked_until;
