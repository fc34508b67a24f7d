-- A machine takes the SIM of no board that lies in another organisation, and whether it does is asked of all boards, not of those
-- in sight: a machine without a board wrote down any number, and where the writer saw everything a board of others lost its SIM.
create function app_sim_elsewhere(sim text, board text, org bigint) returns boolean language sql stable security definer set search_path = public, pg_temp
  as $$ select exists (select from main_boards where iccid = sim and board_no is distinct from board and org_id <> org) $$;

create or replace function keep_board() returns trigger language plpgsql as $$
declare
  b main_boards;
  fresh boolean := tg_op = 'INSERT' or old.board_no is distinct from new.board_no;
begin
  if new.card is not null and (tg_op = 'INSERT' or old.card is distinct from new.card) and app_sim_elsewhere(new.card, new.board_no, new.org_id) then
    raise exception 'SIM % is not free', new.card using errcode = 'unique_violation', constraint = 'devices_card';
  end if;
  if new.board_no is null then return new; end if;
  insert into main_boards (org_id, board_no, created_at) values (new.org_id, new.board_no, new.created_at) on conflict (board_no) do nothing;
  select * into b from main_boards where board_no = new.board_no for no key update;
  if fresh and (b.id is null or b.disabled_at is not null or (b.org_id <> new.org_id and not exists (
    select from organisations a, organisations o where a.id = b.org_id and o.id = new.org_id and a.path @> o.path))) then
    raise exception 'board % is not free', new.board_no using errcode = 'unique_violation', constraint = 'devices_board';
  end if;
  if fresh and b.iccid is not null and (tg_op = 'UPDATE' and new.card is not distinct from old.card or new.card is null) then new.card := b.iccid; end if;
  if (b.org_id, b.iccid) is distinct from (new.org_id, new.card) then
    update main_boards set iccid = null where iccid = new.card and board_no <> new.board_no and org_id = new.org_id;
    update main_boards set org_id = new.org_id, iccid = new.card where id = b.id;
  end if;
  return new;
end $$;
