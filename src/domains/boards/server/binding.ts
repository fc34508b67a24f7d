import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { guarding } from '../../../server/shapes.ts'

import { newSecret, secretColumns, unknownSecret } from '../../machines/server/secret.ts'

import { boardErrors } from '../contract.ts'

/** The only writer of which board a machine has and of the secret it signs in with. */

export type Machine = {
  id: number
  orgId: number
  rtuNumber: string
  lifecycle: 'STOCK' | 'OPERATING' | 'PAUSED' | 'SOLD' | 'SCRAPPED'
  version: number
  boardNo: string | null
  card: string | null
}

/**
 * The machine, held: whoever changes its board or owner takes his turn. Machines before boards
 * before lanes.
 */
export const lockMachine = (ctx: Ctx, id: number) =>
  rowOf<Machine>(
    ctx.db,
  )`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.board_no as "boardNo", d.card,
    d.lifecycle, d.version
      from devices d where d.id = ${id}
        and ${visible(ctx, 'd.org_id', 'd.id')} for no key update of d`

/** Machines held together, so that two people who tell one of them the same take turns. */
export const lockMachines = (ctx: Ctx, ids: readonly number[]) =>
  sql`select 1 from devices d
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}
    order by d.id for no key update`.execute(ctx.db)

/**
 * Gateways look again whom they let in: a connection that would not be now, or belongs to another
 * owner, ends.
 */
export function shutOut(ctx: Ctx): void {
  ctx.touch('identity')
  ctx.touch('main-boards')
  ctx.touch('devices')
}

const unique = guarding({
  devices_board: [boardErrors.boardTaken],
  devices_card: [boardErrors.cardTaken],
  main_boards_iccid: [boardErrors.cardTaken],
})

async function write(
  ctx: Ctx,
  { id }: Pick<Machine, 'id'>,
  to: { board_no: string | null; card?: null } & ReturnType<
    typeof unknownSecret | typeof secretColumns
  >,
) {
  await ctx.db
    .updateTable('devices')
    .set((eb) => ({ ...to, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  shutOut(ctx)
}

/**
 * A new secret for the machine, with another board or the one it has; whoever held the old one is
 * out. `guard`: what a board or SIM of another machine is called.
 */
export async function putBoard(
  ctx: Ctx,
  machine: Pick<Machine, 'id'>,
  boardNo: string,
  guard = unique,
): Promise<string> {
  const secret = newSecret()
  await guard(write(ctx, machine, { board_no: boardNo, ...secretColumns(secret) }))
  return secret
}

/** The machine has no board any more and nobody knows its secret; the SIM stays in the board. */
export async function takeBoard(ctx: Ctx, machine: Machine): Promise<void> {
  await keepLastSeen(ctx, machine)
  await write(ctx, machine, { board_no: null, card: null, ...unknownSecret() })
}

/** What the machine's state says of the board while it is in it. */
export const keepLastSeen = (ctx: Ctx, machine: Machine) =>
  sql`update main_boards b
    set last_seen_at = coalesce(s.last_seen_at, b.last_seen_at),
      fw_version = coalesce(s.fw, b.fw_version)
    from device_states s where s.device_id = ${machine.id}
      and b.board_no = ${machine.boardNo}`.execute(ctx.db)

/**
 * Pieces that wait for payment, for the motor or for its answer; those of an order nobody paid are
 * let go and wait no longer.
 */
export const hasOpenOrder = (ctx: Ctx, deviceId: number) =>
  exists(ctx.db)`select 1 from order_units u
    where u.device_id = ${deviceId} and u.vend_state in ('WAIT','SENT','ACKED','UNKNOWN')
      and u.hold in ('HELD','FAILED_HOLD') and ${visible(ctx, 'u.org_id', 'u.device_id')} limit 1`
