import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { all, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import type { BoardFields, BoardRow, boards } from '../contract.ts'
import { expiryDays } from '../rules.ts'

export type Row = {
  id: number
  org_id: number
  org_name: string
  board_no: string
  model: string
  protocol: BoardRow['protocol']
  hw_version: string
  fw_version: string
  iccid: string | null
  carrier: BoardRow['carrier']
  plan: string
  plan_mb: number | null
  used_mb: number | null
  sim_expires_on: string | null
  disabled_at: Date | null
  version: number
  created_at: Date
  device_id: number | null
  rtu_number: string | null
  nickname: string | null
  lifecycle: string | null
  secret_hash: Buffer | null
  online: boolean | null
  signal: BoardRow['signal']
  last_seen_at: Date | null
}
const columns = sql`b.id, b.org_id, o.name as org_name, b.board_no, b.model, b.protocol, b.hw_version, coalesce(s.fw, b.fw_version) as fw_version, b.iccid, b.carrier, b.plan, b.plan_mb, b.used_mb,
  b.sim_expires_on, b.disabled_at, b.version, b.created_at, d.id as device_id, d.rtu_number, d.nickname, d.lifecycle, d.secret_hash, s.online, s.signal,
  greatest(s.last_seen_at, b.last_seen_at) as last_seen_at`
const from = sql`main_boards b join organisations o on o.id = b.org_id left join devices d on d.board_no = b.board_no left join device_states s on s.device_id = d.id`

/** Boards of the scope. Who serves single machines sees theirs and what lies in the cupboard. */
function seen(ctx: Ctx): RawBuilder<unknown> {
  const { devices } = ctx.actor.scope
  const own = visible(ctx, 'b.org_id')
  if (devices === null) return own
  return sql`(${own} and (d.id = any(${[...devices]}::bigint[]) or not app_bound(b.board_no)))`
}
const expiring = (ctx: Ctx) => sql`b.sim_expires_on <= ${addDays(shanghaiDay(ctx.now), expiryDays)}::date`
const statuses = {
  DISABLED: sql`b.disabled_at is not null`,
  BOUND: sql`b.disabled_at is null and d.id is not null`,
  UNBOUND: sql`b.disabled_at is null and d.id is null`,
}

export const listRows = (ctx: Ctx, input: Input<typeof boards.list>) =>
  selectPage<Row>(ctx.db, {
    columns,
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
      input.expiring !== undefined && (input.expiring ? expiring(ctx) : sql`${expiring(ctx)} is not true`),
      input.orgId && sql`b.org_id = ${input.orgId}`,
    ],
  })

type Counts = { all: number; unbound: number; bound: number; disabled: number; expiring: number }
export async function counts(ctx: Ctx): Promise<Counts> {
  const { rows } =
    await sql<Counts>`select count(*) as "all", count(*) filter (where ${statuses.UNBOUND}) as unbound, count(*) filter (where ${statuses.BOUND}) as bound,
    count(*) filter (where ${statuses.DISABLED}) as disabled, count(*) filter (where ${expiring(ctx)}) as expiring from ${from} where ${seen(ctx)}`.execute(
      ctx.db,
    )
  return rows[0] as Counts
}

export async function options(ctx: Ctx, input: Input<typeof boards.options>) {
  const { rows } = await sql<{ id: number; boardNo: string; model: string; iccid: string }>`
    select b.id, b.board_no as "boardNo", b.model, coalesce(b.iccid, '') as iccid from ${from}
    where ${all([seen(ctx), statuses.UNBOUND, sql`not app_bound(b.board_no)`, input.keyword && sql`strpos(lower(b.board_no), lower(${input.keyword})) > 0`, input.orgId && handedDown(sql`b.org_id`, input.orgId)])}
    order by b.board_no limit 50`.execute(ctx.db)
  return rows
}

/** Boards go to machines of their own organisation or of one below. */
const handedDown = (from: RawBuilder<unknown>, orgId: number) =>
  sql<boolean>`exists (select from organisations h, organisations w where h.id = ${from} and w.id = ${orgId} and h.path @> w.path)`

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns} from ${from} where b.id = ${id} and ${seen(ctx)}`.execute(ctx.db)
  return rows[0]
}
export async function rowByNumber(ctx: Ctx, boardNo: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns} from ${from} where b.board_no = ${boardNo} and ${seen(ctx)}`.execute(ctx.db)
  return rows[0]
}
export async function isHandedDown(ctx: Ctx, boardOrg: number, deviceOrg: number): Promise<boolean> {
  const { rows } = await sql<{ ok: boolean }>`select ${handedDown(sql`${boardOrg}::bigint`, deviceOrg)} as ok`.execute(ctx.db)
  return rows[0]?.ok === true
}

export async function owner(ctx: Ctx, orgId: number) {
  const { rows } = await sql<{ id: number; kind: string }>`
    select o.id, o.kind from organisations o where o.id = ${orgId} and o.status = 'ENABLED' and ${visible(ctx, 'o.id')}`.execute(ctx.db)
  return rows[0]
}

export const columnsOf = (board: BoardFields) => ({
  model: board.model,
  protocol: board.protocol,
  hw_version: board.hwVersion,
  fw_version: board.fwVersion,
  iccid: board.iccid || null,
  carrier: board.carrier,
  plan: board.plan,
  plan_mb: board.planMb,
  used_mb: board.usedMb,
  sim_expires_on: board.simExpiresOn,
})

/** Takes the next version of the board a person saw; false when somebody was faster. */
export async function nextVersion(ctx: Ctx, id: number, version: number): Promise<boolean> {
  const changed = await ctx.db
    .updateTable('main_boards')
    .set({ version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** The SIM and what is known of it goes over to a board that has none. */
export async function moveSim(ctx: Ctx, fromId: number, toId: number): Promise<void> {
  const sim = await ctx.db
    .selectFrom('main_boards')
    .select(['iccid', 'carrier', 'plan', 'plan_mb', 'used_mb', 'sim_expires_on'])
    .where('id', '=', fromId)
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('main_boards')
    .set({ iccid: null, carrier: null, plan: '', plan_mb: null, used_mb: null, sim_expires_on: null })
    .where('id', '=', fromId)
    .execute()
  await ctx.db.updateTable('main_boards').set(sim).where('id', '=', toId).execute()
}
