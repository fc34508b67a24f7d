import { sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { boardErrors, type boards, UnknownBoard } from '../contract.ts'
import { bindRule } from '../rules.ts'
import { lockMachine, type Machine, putBoard } from './binding.ts'
import * as q from './queries.ts'
import { longAgo, registered } from './sightings.ts'

type Contract = typeof boards
const unknownBoard = shape(
  UnknownBoard.extend({ hwVersion: z.string(), ignoredAt: f.instant.nullable() }),
  ['unknown_boards', 'u'],
  { ignored: sql`u.ignored_at is not null` },
  ['can'],
)
type Row = Rows<typeof unknownBoard>

/** They lie at the platform; who serves single machines has nothing to do with boards of nobody. */
const seen = (ctx: Ctx) => sql`${ctx.actor.scope.devices === null} and ${visible(ctx, 'u.org_id')}`
const wanted = (ctx: Ctx) => sql`not ${longAgo(ctx)} and not ${registered}`

function shown(ctx: Ctx, { hwVersion, ignoredAt, ...row }: Row): UnknownBoard {
  const mine = may(ctx, 'main-board:create')
  return {
    ...row,
    can: { claim: mine, ignore: mine && !row.ignored, restore: mine && row.ignored },
  }
}

export const unknown: Handlers<Contract>['unknown'] = async (ctx, input) => {
  const { rows, total } = await unknownBoard.page(ctx.db, {
    from: sql`unknown_boards u`,
    input,
    last: sql`u.id`,
    sort: {
      boardNo: sql`u.board_no`,
      tries: sql`u.tries`,
      firstSeenAt: sql`u.first_seen_at`,
      lastSeenAt: sql`u.last_seen_at`,
    },
    where: [
      seen(ctx),
      wanted(ctx),
      sql`(u.ignored_at is not null) = ${input.ignored}`,
      input.boardNo && sql`strpos(lower(u.board_no), lower(${input.boardNo})) > 0`,
    ],
  })
  return { list: rows.map((row) => shown(ctx, row)), total }
}

/** How many wait for a decision; null for whom they are not. */
export async function unknownCount(ctx: Ctx): Promise<number | null> {
  if (!ctx.actor.ofPlatform || !may(ctx, 'main-board:create') || ctx.actor.scope.devices !== null)
    return null
  const waiting = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from unknown_boards u
    where ${seen(ctx)} and ${wanted(ctx)} and u.ignored_at is null`
  return waiting.n
}

/** The row, held: of two people that decide one is first, the other finds nothing. */
const lock = async (ctx: Ctx, id: number): Promise<Row> =>
  found(
    await unknownBoard.one(
      ctx.db,
      sql`from unknown_boards u where u.id = ${id} and ${seen(ctx)} for update of u`,
    ),
  )

/** The machine the board goes into at once. */
async function freeMachine(ctx: Ctx, id: number): Promise<Machine> {
  if (!may(ctx, 'main-board:bind')) throw new Refusal(common.forbidden)
  const machine = found(await lockMachine(ctx, id))
  if (machine.boardNo !== null) throw fieldRefusal(boardErrors.hasBoard, 'deviceId')
  return machine
}

export const claim: Handlers<Contract>['claim'] = async (
  ctx,
  { id, orgId, deviceId, model, iccid },
) => {
  const machine = deviceId === undefined ? undefined : await freeMachine(ctx, deviceId)
  const told = await lock(ctx, id)
  const owner = await newOwner(ctx, orgId ?? machine?.orgId ?? ctx.actor.orgId)
  const rest = {
    protocol: 'mqtt' as const,
    carrier: null,
    plan: '',
    planMb: null,
    usedMb: null,
    simExpiresOn: null,
  }
  const boardNo = told.boardNo
  // registering it takes it off the list, see the table's trigger
  const boardId = await q.addBoard(
    ctx,
    { ...rest, boardNo, model, iccid, hwVersion: told.hwVersion, fwVersion: told.fwVersion },
    owner,
  )
  let secret: string | null = null
  if (machine) {
    const wrong = bindRule(
      { deviceId: null, disabled: false },
      machine,
      await q.isHandedDown(ctx, owner.id, machine.orgId),
    )
    if (wrong) throw fieldRefusal(wrong, 'deviceId')
    secret = await putBoard(ctx, machine, boardNo)
    await noteDevice(ctx, [
      { deviceId: machine.id, orgId: machine.orgId, kind: 'BOARD_BOUND', data: { boardNo } },
    ])
  }
  const rtuNumber = machine?.rtuNumber ?? ''
  const after = {
    boardNo,
    model,
    iccid,
    rtuNumber,
    firstSeenAt: told.firstSeenAt,
    address: told.address,
    tries: told.tries,
  }
  ctx.audit({ id: boardId, name: boardNo, after, orgId: machine?.orgId ?? owner.id })
  ctx.touch('main-boards')
  ctx.touch('unknown-boards')
  return { boardNo, rtuNumber, secret }
}

async function setIgnored(ctx: Ctx, id: number, on: boolean) {
  const row = await lock(ctx, id)
  const [at, by] = on ? [row.ignoredAt ?? ctx.now, ctx.actor.userId] : [null, null]
  await sql`update unknown_boards set ignored_at = ${at}::timestamptz, ignored_by = ${by}::bigint
    where id = ${id}`.execute(ctx.db)
  ctx.audit({ id, name: row.boardNo, before: { ignored: row.ignored }, after: { ignored: on } })
  ctx.touch('unknown-boards')
  return { ok: true as const }
}
export const ignore: Handlers<Contract>['ignore'] = (ctx, { id }) => setIgnored(ctx, id, true)
export const restore: Handlers<Contract>['restore'] = (ctx, { id }) => setIgnored(ctx, id, false)
