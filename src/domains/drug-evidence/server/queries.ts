import { sql } from 'kysely'
import { type Ctx, inheritable, may, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { type drugEvidence, PackRow, type Params } from '../contract.ts'

type Contract = typeof drugEvidence

/** Whoever asked for it, and those whom the same parameters brought the one that was there. */
const asked = ({ actor }: Pick<Ctx, 'actor'>) =>
  sql`exists (select from evidence_accesses a where a.pack_id = k.id
    and a.user_id = ${actor.userId}::bigint and a.what = 'MAKE')`
/**
 * Those of one's organisation; whoever looks at machines has his organisation in common with people
 * of other regions: what he asked for, and who made which package of his machines.
 */
const readable = (ctx: Pick<Ctx, 'actor'>) =>
  ctx.actor.scope.watched
    ? sql`(${asked(ctx)} or cardinality(k.device_ids) > 0
        and k.device_ids <@ ${[...ctx.actor.scope.watched]}::bigint[])`
    : visible(ctx, 'k.org_id')

const param = (name: keyof Params) => sql`k.params ->> ${name}`
const pack = (ctx: Ctx) =>
  shape(
    PackRow,
    ['evidence_packs', 'k'],
    {
      orgName: sql`coalesce(o.name, '')`,
      about: sql`concat_ws(' · ',
      nullif((select string_agg(d.rtu_number, ' ' order by d.id) from (select d.id, d.rtu_number
        from devices d where d.id in (select x::bigint
          from jsonb_array_elements_text(k.params -> 'deviceIds') x)
          and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id limit 3) d), ''),
      (select b.batch_no from batches b where b.id = (${param('batchId')})::bigint
        and ${inheritable(ctx, 'b.org_id')}),
      ${param('code')})`,
      from: param('from'),
      to: param('to'),
      devices: sql`cardinality(k.device_ids)`,
      createTime: sql`k.created_at`,
    },
    ['can'],
  )
const from = (ctx: Ctx) => sql`evidence_packs k
  left join organisations o on o.id = k.org_id and ${visible(ctx, 'o.id')}`

export const listRows = (ctx: Ctx, input: Input<Contract['list']>) =>
  pack(ctx).page(ctx.db, {
    from: from(ctx),
    input,
    last: sql`k.id`,
    sort: { createTime: sql`k.created_at` },
    where: [
      readable(ctx),
      input.state && sql`k.state = ${input.state}`,
      input.deviceId && sql`${input.deviceId} = any(k.device_ids)`,
      input.from && sql`k.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`k.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
export const row = (ctx: Ctx, no: string) =>
  pack(ctx).one(ctx.db, sql`from ${from(ctx)} where k.no = ${no} and ${readable(ctx)}`)

type More = {
  sha256: string
  manifest: string | null
  signature: string
  logSeq: number
  logHash: string
  fileKey: string | null
}
export const more = (ctx: Pick<Ctx, 'actor' | 'db'>, no: string) =>
  rowOf<More>(ctx.db)`select coalesce(sha256, '') as sha256, manifest,
      coalesce(signature, '') as signature, log_seq as "logSeq", log_hash as "logHash",
      file_key as "fileKey"
    from evidence_packs k where no = ${no} and ${readable(ctx)}`

type Access = { userName: string; what: 'MAKE' | 'DOWNLOAD'; at: string }
export const accesses = (ctx: Ctx, packId: number) =>
  rowsOf<Access>(ctx.db)`select user_name as "userName", what, ${isoText('at')} as at
    from evidence_accesses where pack_id = ${packId} order by evidence_accesses.at desc, id desc
    limit 200`

/**
 * Of these packages those all of which he may see: every machine, the log if it is in it. What
 * others asked for tells whoever looks at machines more than his own would.
 */
export const wholeSeen = async (
  ctx: Pick<Ctx, 'actor' | 'db'>,
  ids: readonly number[],
): Promise<Set<number>> => {
  const rows = await rowsOf<{ id: number }>(ctx.db)`select k.id from evidence_packs k
    where k.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'k.org_id')}
      and ${ctx.actor.scope.watched ? asked(ctx) : sql`true`}
      and (not k.logs or ${may(ctx, 'log:read')})
      and not exists (select from unnest(k.device_ids) x(id)
        where not exists (select from devices d
          where d.id = x.id and ${visible(ctx, 'd.org_id', 'd.id')}))`
  return new Set(rows.map(({ id }) => id))
}

/** Machines a package is about: those that are named, those a batch or a box went through. */
export async function devicesOf(ctx: Ctx, params: Params, most: number): Promise<number[]> {
  const { deviceIds, batchId, code } = params
  const named = deviceIds.length ? sql`and d.id = any(${deviceIds}::bigint[])` : sql``
  const during = sql`f.created_at >= ${startOfDay(params.from)}
    and f.created_at < ${startOfDay(addDays(params.to, 1))}`
  const through =
    batchId === null && code === null
      ? sql``
      : sql`and d.id in (select f.device_id from stock_flows f
          where ${during} and ${visible(ctx, 'f.org_id', 'f.device_id')}
            ${batchId === null ? sql`` : sql`and f.batch_id = ${batchId}`}
            ${code === null ? sql`` : sql`and f.codes @> array[${code}]`})`
  const rows = await rowsOf<{ id: number }>(ctx.db)`select d.id from devices d
    where ${visible(ctx, 'd.org_id', 'd.id')} ${named} ${through}
    order by d.id limit ${most + 1}`
  return rows.map(({ id }) => id)
}
