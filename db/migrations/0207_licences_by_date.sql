create index devices_licence on devices (licence_until) where licence_until is not null;
