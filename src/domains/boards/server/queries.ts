import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { exists, onlyRow } from '../../../server/rows.ts'
import { columns, guarding, type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { type BoardFields, BoardOption, BoardRow, boardErrors, type boards } from '../contract.ts'
import { expiryDays, ownerRule } from '../rules.ts'

const board = shape(
  BoardRow.extend({ disabled: z.boolean(), secretHash: z.instanceof(Buffer).nullable() }),
  ['main_boards', 'b'],
  {
    fwVersion: sql`coalesce(s.fw, b.fw_version)`,
    iccid: sql`coalesce(b.iccid, '')`,
    deviceId: sql`d.id`,
    rtuNumber: sql`coalesce(d.rtu_number, '')`,
    nickname: sql`coalesce(d.nickname, '')`,
    ownedUserName: sql`o.name`,
    online: sql`coalesce(s.online, false)`,
    signal: sql`s.signal`,
    lastSeenAt: sql`greatest(s.last_seen_at, b.last_seen_at)`,
    createTime: sql`b.created_at`,
    disabled: sql`b.disabled_at is not null`,
    secretHash: sql`d.secret_hash`,
  },
  ['simState', 'status', 'keyFingerprint', 'can'],
)
export type Row = Rows<typeof board>
const from = sql`main_boards b
  join organisations o on o.id = b.org_id
  left join devices d on d.board_no = b.board_no
  left join device_states s on s.device_id = d.id`

/** Boards of the scope. Who serves single machines sees theirs and what lies in the cupboard. */
function seen(ctx: Ctx): RawBuilder<unknown> {
  const { devices } = ctx.actor.scope
  const own = visible(ctx, 'b.org_id')
  if (devices === null) return own
  return sql`(${own} and (d.id = any(${[...devices]}::bigint[]) or not app_bound(b.board_no)))`
}
const expiring = (ctx: Ctx) =>
  sql`b.sim_expires_on <= ${addDays(shanghaiDay(ctx.now), expiryDays)}::date`
const statuses = {
  DISABLED: sql`b.disabled_at is not null`,
  BOUND: sql`b.disabled_at is null and d.id is not null`,
  UNBOUND: sql`b.disabled_at is null and d.id is null`,
}

export const listRows = (ctx: Ctx, input: Input<typeof boards.list>) =>
  board.page(ctx.db, {
    from,
    input,
    last: sql`b.id`,
    sort: {
      boardNo: sql`b.board_no`,
      usedMb: sql`b.used_mb`,
      simExpiresOn: sql`b.sim_expires_on`,
      lastSeenAt: sql`greatest(s.last_seen_at, b.last_seen_at)`,
      createTime: sql`b.created_at`,
    },
    where: [
      seen(ctx),
      input.boardNo && sql`strpos(lower(b.board_no), lower(${input.boardNo})) > 0`,
      input.iccid && sql`strpos(b.iccid, ${input.iccid}) > 0`,
      input.status && statuses[input.status],
      input.fwVersion && sql`coalesce(s.fw, b.fw_version) = ${input.fwVersion}`,
      input.deviceId && sql`d.id = ${input.deviceId}`,
      input.expiring !== undefined &&
        (input.expiring ? expiring(ctx) : sql`${expiring(ctx)} is not true`),
      input.orgId && sql`b.org_id = ${input.orgId}`,
    ],
  })

type Counts = Omit<Output<typeof boards.counts>, 'unknown'>
export const counts = (ctx: Ctx) =>
  onlyRow<Counts>(
    ctx.db,
  )`select count(*) as "all", count(*) filter (where ${statuses.UNBOUND}) as unbound,
    count(*) filter (where ${statuses.BOUND}) as bound,
    count(*) filter (where ${statuses.DISABLED}) as disabled,
    count(*) filter (where ${expiring(ctx)}) as expiring from ${from} where ${seen(ctx)}`

const option = shape(BoardOption, ['main_boards', 'b'], { iccid: sql`coalesce(b.iccid, '')` })
export const options = (ctx: Ctx, input: Input<typeof boards.options>) =>
  option.all(
    ctx.db,
    sql`from ${from} where ${all([
      seen(ctx),
      statuses.UNBOUND,
      sql`not app_bound(b.board_no)`,
      input.keyword && sql`strpos(lower(b.board_no), lower(${input.keyword})) > 0`,
      input.orgId && handedDown(sql`b.org_id`, input.orgId),
    ])} order by b.board_no limit 50`,
  )

/** Boards go to machines of their own organisation or of one below. */
const handedDown = (from: RawBuilder<unknown>, orgId: number) =>
  sql<boolean>`exists (select from organisations h, organisations w
    where h.id = ${from} and w.id = ${orgId} and h.path @> w.path)`

export const row = (ctx: Ctx, id: number) =>
  board.one(ctx.db, sql`from ${from} where b.id = ${id} and ${seen(ctx)}`)
export const rowByNumber = (ctx: Ctx, boardNo: string) =>
  board.one(ctx.db, sql`from ${from} where b.board_no = ${boardNo} and ${seen(ctx)}`)

export const isHandedDown = (ctx: Ctx, boardOrg: number, deviceOrg: number) =>
  exists(ctx.db)`select 1 where ${handedDown(sql`${boardOrg}::bigint`, deviceOrg)}`

export const written = (board: BoardFields) =>
  columns('main_boards', { ...board, iccid: board.iccid || null })

export const disable = (ctx: Ctx, id: number, on: boolean) =>
  sql`update main_boards set disabled_at = ${on ? ctx.now : null}::timestamptz
    where id = ${id}`.execute(ctx.db)

/** The SIM and what is known of it goes over to a board that has none. */
export async function moveSim(ctx: Ctx, fromId: number, toId: number): Promise<void> {
  const sim = await ctx.db
    .selectFrom('main_boards')
    .select(['iccid', 'carrier', 'plan', 'plan_mb', 'used_mb', 'sim_expires_on'])
    .where('id', '=', fromId)
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('main_boards')
    .set({
      iccid: null,
      carrier: null,
      plan: '',
      plan_mb: null,
      used_mb: null,
      sim_expires_on: null,
    })
    .where('id', '=', fromId)
    .execute()
  await ctx.db.updateTable('main_boards').set(sim).where('id', '=', toId).execute()
}

/** The database guards what is unique: boards of others are not seen. */
export const unique = guarding({
  main_boards_board_no_key: [boardErrors.numberTaken, 'boardNo'],
  main_boards_iccid: [boardErrors.cardTaken, 'iccid'],
  devices_card: [boardErrors.cardTaken, 'iccid'],
})

type NewBoard = BoardFields & { boardNo: string }
type Owner = { id: number; kind: string }
export async function addBoard(ctx: Ctx, board: NewBoard, owner: Owner): Promise<number> {
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  const { boardNo, ...fields } = board
  const values = { ...written(fields), board_no: boardNo, org_id: owner.id, created_at: ctx.now }
  const { id } = await unique(
    ctx.db.insertInto('main_boards').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  return id
}
