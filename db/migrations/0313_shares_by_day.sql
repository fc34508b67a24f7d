create index split_requests_done on split_requests (config_id, done_at)
  where kind = 'SPLIT' and state = 'DONE';
create index split_returns_done on split_returns (config_id, done_at) where state = 'DONE';
