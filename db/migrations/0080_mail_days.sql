-- What an organisation sent today: tests of its channels, and recipients of mail through the server of somebody above. It stays when
-- a channel is deleted and made again.
select set_config('app.all', 'on', true);

create table alert_mail_days (
  org_id bigint not null references organisations,
  day date not null,
  tests int not null default 0 check (tests >= 0),
  recipients int not null default 0 check (recipients >= 0),
  primary key (org_id, day)
);
create index alert_mail_days_age on alert_mail_days (day);
call app_protect('alert_mail_days');

select set_config('app.all', '', true);
