-- `ledger_held_back` (0186) took its place, and knows what channels paid (decision 70).
drop function ledger_not_yet(bigint);
