create index split_shares_referrer on split_shares (split_id, referrer_id)
  where referrer_id is not null;
