-- A buyer who was shown one code may pay with the other: an order has a payment for each way he asked for. Null: the order's own way.
alter table payments add column pay_type text;
alter table payments add constraint payments_pay_type_check check (pay_type in ('WECHAT','ALIPAY')) not valid;
