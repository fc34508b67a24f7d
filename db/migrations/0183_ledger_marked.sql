-- Every 31st entry gets a mark, whoever's it is: no rhythm of vouchers skips an account.
create index ledger_entries_marked on ledger_entries (created_at) where id % 31 = 0;
