-- Goods may come from a file, without their pictures; on the shelf they have one.
alter table products drop constraint products_images_check,
  add constraint products_images_check check (cardinality(images) <= 5),
  add constraint products_shown check (status = 'OFF' or cardinality(images) >= 1);
