-- What a channel has not decided, by merchant: whoever verifies its keys wakes it.
create index split_requests_open on split_requests (config_id) where state = 'SENDING';
create index split_returns_open on split_returns (config_id) where state = 'SENDING';
