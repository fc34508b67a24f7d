-- Wrong codes by SMS are counted for their number, too.
alter table sign_in_guards drop constraint sign_in_guards_kind_check;
alter table sign_in_guards add constraint sign_in_guards_kind_check check (kind in ('PAIR','BROWSER','ADDRESS','CODE','NUMBER','ACCOUNT','INSIDE','FACTOR'));
