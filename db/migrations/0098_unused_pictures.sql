-- Since when no record names a picture (files/server/unused.ts); such a picture is named by no new record
-- either, unless this is infinity: sales or messages name it.
alter table uploads add column unused_since timestamptz;
