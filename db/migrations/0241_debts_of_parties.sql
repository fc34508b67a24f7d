create unique index split_debts_party on split_debts
  (split_id, (coalesce(party_org_id, -referrer_id)), refund_no) nulls not distinct;
