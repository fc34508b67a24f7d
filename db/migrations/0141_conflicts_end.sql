-- A phone may mean a product that nobody knows; how a conflict may end.
alter table visit_conflicts alter column product_id drop not null,
  add constraint visit_conflicts_choice_check check (choice in ('NOT_PUT','OLD_GOODS','PUT_IN_NEW',
    'TAKE_BACK','BEFORE','AFTER','CODES_CHECKED','COUNTED'));
