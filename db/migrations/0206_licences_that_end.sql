-- What people were told of the licence of a drug machine and of a pharmacist: for which date, and for how many days.
alter table devices add column licence_told_for date, add column licence_told_days int;
alter table pharmacists add column licence_told_for date, add column licence_told_days int;
