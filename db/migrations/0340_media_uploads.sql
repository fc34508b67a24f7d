-- Films beside pictures, and what a library read of a file: how large it is on a screen and how long it plays.
alter table uploads add column width int, add column height int, add column duration_ms int;
alter table uploads drop constraint uploads_kind_check;
alter table uploads add constraint uploads_kind_check check (kind in ('IMAGE', 'FILE', 'VIDEO')) not valid;
alter table uploads add constraint uploads_video check (kind <> 'VIDEO' or (mime = 'video/mp4'
  and width > 0 and height > 0 and duration_ms > 0)) not valid;
