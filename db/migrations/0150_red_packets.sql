-- Whether buyers of a product may get a red packet; drugs never (rule 8 of what drugs may not).
alter table products add column red_packets boolean;
comment on column products.red_packets is 'Null: as the class says, drugs do not';
alter table products add constraint products_red_packets
  check (drug_class = 'NONE' or red_packets is not true);
