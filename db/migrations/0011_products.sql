-- Sales of one product over the last days, for the product list; the key starts with the machine.
create index product_rollups_product on product_rollups (product_id, day);
