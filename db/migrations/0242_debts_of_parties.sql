-- Its place has split_debts_party, which knows referrers.
alter table split_debts drop constraint split_debts_split_id_party_org_id_refund_no_key;
