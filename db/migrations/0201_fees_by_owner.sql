-- What organisations above one took of its sales is read by the one that paid (`invoice_fees`).
create index bill_shares_owner on bill_shares (owner_id, day, org_id) where grain = 'MONTH';
