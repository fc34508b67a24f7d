-- Wrong codes by SMS are counted for an address apart from passwords (session/server/guard.ts).
alter table sign_in_guards drop constraint sign_in_guards_check, drop constraint sign_in_guards_kind_check;
alter table sign_in_guards add constraint sign_in_guards_check check ((kind in ('ADDRESS','CODE')) = (account is null)),
  add constraint sign_in_guards_kind_check check (kind in ('PAIR','BROWSER','ADDRESS','CODE','ACCOUNT','INSIDE','FACTOR'));
