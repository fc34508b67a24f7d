-- Whether each piece is sold by its trace code; without a word of its own, drugs are.
alter table products add column trace_required boolean;
