-- A clock that was set back is noticed by the latest of these times, which is read, not looked for.
create index stock_warning_calls_told on stock_warning_calls (told_at);
create index expiry_items_told on expiry_items (told_at) where told_at is not null;
