import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { Kind, Piece } from '../../../server/work.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { uploadMost } from '../codeContract.ts'
import { type TraceAnswer, type TraceReport, tracePlatform } from './tracePlatform.ts'

type Upload = Piece & { id: number; org_id: number }
type Sent = { state: 'SENT'; answer: TraceAnswer }
const day = 86_400_000

/** Codes that nobody has taken yet become uploads of at most 500, each of one organisation. */
export async function gatherCodes(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    for (let i = 0; i < 40 && (await gather(ctx)); i += 1);
    await tellLate(ctx)
  })
}

async function gather(ctx: Ctx): Promise<boolean> {
  type Waiting = { orgId: number; code: string; event: string }
  const rows = await rowsOf<Waiting>(ctx.db)`
    select e.org_id as "orgId", e.code, e.event from trace_events e
    where e.state = 'WAITING' and e.upload_id is null and e.org_id = (
      select x.org_id from trace_events x where x.state <> 'SENT' and x.state = 'WAITING'
        and x.upload_id is null limit 1)
    order by e.at limit ${uploadMost} for update skip locked`
  const orgId = rows[0]?.orgId
  if (orgId === undefined) return false
  await sql`with u as (insert into trace_uploads (org_id, codes, next_at, created_at)
      values (${orgId}, ${rows.length}, ${ctx.now}, ${ctx.now}) returning id)
    update trace_events e set upload_id = u.id
    from u, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(code text, event text)
    where e.code = n.code and e.event = n.event`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke('trace-uploads'))
  return true
}

/** Those who could send it by hand hear once of what is not there after a day. */
async function tellLate(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now.getTime() - day)
  const late = await rowsOf<{ orgId: number }>(ctx.db)`
    update trace_events e set told_at = ${ctx.now}
    where e.state <> 'SENT' and e.told_at is null and e.at <= ${before} returning org_id as "orgId"`
  for (const [orgId, codes] of Map.groupBy(late, (row) => row.orgId))
    await notify(ctx, {
      kind: 'STOCK',
      title: bi('追溯码上报超过24小时未成功', 'Trace codes are not reported after 24 hours'),
      body: bi(`${codes.length} 个追溯码待处理`, `${codes.length} codes wait for somebody`),
      link: '/stock/drug-control/codes?upload=FAILED',
      permission: 'trace-code:upload',
      orgId,
      orAbove: true,
    })
}

export const uploadKind = (app: App): Kind<Upload, Sent> => ({
  name: 'trace-uploads',
  table: 'trace_uploads',
  atOnce: 2,
  leaseSeconds: 120,
  waits: [60, 300, 1800, 21_600],
  do: async (upload) => ({
    state: 'SENT',
    answer: await tracePlatform(app).use.send(await reportsOf(app, upload.id)),
  }),
  async mark(ctx, upload, to) {
    const reason = 'reason' in to ? to.reason.slice(0, 200) : ''
    const state = to.state === 'RETRY' ? 'SENDING' : to.state
    const kept = await sql`update trace_uploads set state = ${state}, next_at = ${to.nextAt},
        reason = ${reason}, finished_at = ${state === 'SENDING' ? null : ctx.now}
      where ${upload.ours}`.execute(ctx.db)
    if (!kept.numAffectedRows) return
    const answers = to.state === 'SENT' ? [...to.answer].map(([no, wrong]) => ({ no, wrong })) : []
    if (to.state === 'SENT')
      await sql`update trace_events e set state = case when n.no is null or n.wrong is not null
          then 'FAILED' else 'SENT' end, reason = left(coalesce(n.wrong, ''), 200)
        from trace_events x left join jsonb_to_recordset(${JSON.stringify(answers)}::jsonb)
          as n(no text, wrong text) on n.no = x.code || '-' || x.event
        where e.upload_id = ${upload.id} and e.code = x.code and e.event = x.event`.execute(ctx.db)
    else
      await sql`update trace_events e set reason = ${reason},
          state = ${to.state === 'FAILED' ? 'FAILED' : 'WAITING'}
        where e.upload_id = ${upload.id}`.execute(ctx.db)
    ctx.touch('batches', upload.org_id)
  },
})

const reportsOf = (app: App, id: number): Promise<TraceReport[]> =>
  app.database.read(
    systemScope,
    (db) =>
      rowsOf<TraceReport>(db)`select e.code || '-' || e.event as no, e.code, e.event,
      to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
      b.batch_no as "batchNo", e.order_num as "orderNum"
    from trace_events e join trace_codes t on t.code = e.code join batches b on b.id = t.batch_id
    where e.upload_id = ${id} order by 1`,
  )
