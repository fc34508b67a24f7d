create index stock_warnings_over on stock_warnings (org_id, closed_at)
  include (device_id, opened_at) where kind = 'SOLD_OUT' and closed_at is not null;
