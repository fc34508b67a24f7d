-- Boxes grow with sales, and the page of them reads its own rows alone: by day of anybody, of one organisation, and those that are not sold by their state.
create index trace_codes_newest on trace_codes (created_at desc, code desc);
create index trace_codes_own on trace_codes (org_id, created_at desc, code desc);
drop index trace_codes_org;
create index trace_codes_there on trace_codes (org_id, state, created_at desc, code desc) where state <> 'SOLD';

-- As in 0136_trace_events.sql, asked of each box (the offset says so): whoever looks for some of them does not read all that these machines ever sold.
drop policy watched on trace_codes;
create policy watched on trace_codes for select using (cardinality((select app_watched())) > 0
  and (lane_id in (select l.id from lanes l where l.device_id = any((select app_watched())::bigint[]))
    or exists (select from trace_events e where e.code = trace_codes.code
      and e.device_id = any((select app_watched())::bigint[]) offset 0)));
