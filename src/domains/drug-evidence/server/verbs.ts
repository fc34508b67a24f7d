import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { type Head, sealHead } from '../../audit/server/chain/seal.ts'
import { type drugEvidence, Manifest, type PackRow, type Params } from '../contract.ts'
import { evidenceErrors, evidenceLimits, hasScope } from '../rules.ts'
import * as q from './queries.ts'
import { isSigned, publicKeyOf } from './signing.ts'

type Contract = typeof drugEvidence

/** Whoever does not see all its machines any more does not get the file. */
async function shown(ctx: Ctx, rows: readonly Omit<PackRow, 'can'>[]): Promise<PackRow[]> {
  const seen = await q.wholeSeen(
    ctx,
    rows.map(({ id }) => id),
  )
  const right = may(ctx, 'drug-evidence:export')
  return rows.map((row) => ({
    ...row,
    can: { download: right && row.state === 'DONE' && seen.has(row.id) },
  }))
}

/** Data of another tenant is none of his: a scope he does not have finds nothing. */
async function check(ctx: Ctx, params: Params): Promise<number[]> {
  if (params.batchId !== null)
    found(
      await rowOf(ctx.db)`select b.id from batches b where b.id = ${params.batchId}
        and ${inheritable(
          ctx,
          'b.org_id',
          (watched) => sql`exists (select from stock_flows f
            where f.batch_id = b.id and f.device_id = ${watched})`,
        )}`,
    )
  const ids = await q.devicesOf(ctx, params, evidenceLimits.devices)
  if (ids.length > evidenceLimits.devices)
    throw new Refusal(evidenceErrors.tooManyDevices, { most: evidenceLimits.devices })
  if (params.deviceIds.length && params.batchId === null && params.code === null)
    if (ids.length !== params.deviceIds.length) throw new Refusal(common.notFound)
  if (!ids.length && params.batchId === null) throw new Refusal(common.notFound)
  return ids
}

const make = prepared<Contract['make'], Head>({
  // the log is nobody's alone: its head is read apart from the act
  prepare: (app) => app.database.read(systemScope, (db) => sealHead(db)),
  async run(ctx, { dataAsOf, ...input }, head) {
    if (!hasScope(input)) throw fieldRefusal(evidenceErrors.noScope, 'deviceIds')
    const asOf = dataAsOf ? new Date(dataAsOf) : ctx.now
    if (asOf > ctx.now) throw fieldRefusal(evidenceErrors.laterThanNow, 'dataAsOf')
    const params: Params = {
      deviceIds: [...new Set(input.deviceIds)].sort((a, b) => a - b),
      batchId: input.batchId ?? null,
      code: input.code ?? null,
      from: input.from,
      to: input.to,
    }
    const deviceIds = await check(ctx, params)
    const { scope } = ctx.actor
    const logs = may(ctx, 'log:read') && !scope.watched && scope.devices === null
    // two who reach other rows, or read another language, get other files
    const reach = [scope.all, [...scope.orgs], scope.devices, scope.watched ?? null]
    const hash = createHash('sha256')
      .update(JSON.stringify([params, deviceIds, ctx.lang, logs, reach]))
      .digest('hex')
    const { orgId, userId } = ctx.actor
    const there = await rowOf<{ id: number; no: string }>(ctx.db)`select id, no
      from evidence_packs where org_id = ${orgId} and params_hash = ${hash}
        and data_as_of = ${asOf} and state <> 'FAILED'`
    const { open } = await onlyRow<{ open: number }>(ctx.db)`select count(*)::int as open
      from evidence_packs where org_id = ${orgId} and user_id = ${userId} and next_at is not null`
    if (!there && open >= evidenceLimits.open)
      throw new Refusal(evidenceErrors.oneByOne, { most: evidenceLimits.open })
    const expires = new Date(ctx.now)
    expires.setUTCFullYear(expires.getUTCFullYear() + evidenceLimits.keepYears)
    const name = await onlyRow<{ name: string }>(ctx.db)`select real_name as name from users
      where id = ${userId}`
    const pack =
      there ??
      (await onlyRow<{ id: number; no: string }>(ctx.db)`
        insert into evidence_packs as k (id, no, org_id, user_id, user_name, lang, params,
          params_hash, data_as_of, device_ids, log_seq, log_hash, logs, next_at, created_at,
          expires_at)
        select n.id, 'EV' || ${shanghaiDay(ctx.now).replaceAll('-', '')}::text
            || '-' || lpad(n.id::text, greatest(6, length(n.id::text)), '0'), ${orgId}, ${userId}, ${name.name},
          ${ctx.lang}, ${JSON.stringify(params)}::jsonb, ${hash}, ${asOf},
          ${deviceIds}::bigint[], ${head.seq}, ${head.hash.toString('hex')}, ${logs}, ${ctx.now},
          ${ctx.now}, ${expires}
        from (select nextval('evidence_packs_id_seq') as id) n
        on conflict on constraint evidence_packs_once do update set state = case k.state
            when 'FAILED' then 'WAITING' else k.state end, error = '', attempts = case k.state
            when 'FAILED' then 0 else k.attempts end, next_at = case k.state
            when 'FAILED' then excluded.next_at else k.next_at end
        returning id, no`)
    await sql`insert into evidence_accesses (org_id, pack_id, user_id, user_name, what, at)
      values (${orgId}, ${pack.id}, ${userId}, ${name.name}, 'MAKE', ${ctx.now})`.execute(ctx.db)
    ctx.audit({ id: pack.id, name: pack.no, after: { ...params, devices: deviceIds.length } })
    ctx.touch('drug-evidence')
    ctx.afterCommit(() => ctx.app.jobs.poke('evidence-packs'))
    return { no: pack.no }
  },
})

/** The file is read before a connection is taken. */
const verify = prepared<Contract['verify'], string>({
  async prepare(app, { no }, _request, actor) {
    const pack = await app.database.read(actor.scope, (db) => q.more({ actor, db }, no))
    const file = pack?.fileKey && (await app.files.open(pack.fileKey))
    if (!file) return ''
    const sum = createHash('sha256')
    try {
      for await (const part of file) sum.update(part as Buffer)
    } catch {
      return ''
    }
    return sum.digest('hex')
  },
  async run(ctx, { no }, sum) {
    const { sha256, manifest, signature, fileKey } = found(await q.more(ctx, no))
    const publicKey = publicKeyOf(ctx.app.config)
    // not made yet: there is nothing that could be right
    if (manifest === null)
      return { ok: false, fileOk: false, signatureOk: false, sha256, publicKey }
    if (fileKey === null) throw new Refusal(evidenceErrors.gone)
    const fileOk = sum === sha256
    const signatureOk = isSigned(ctx.app.config, manifest, signature)
    return { ok: fileOk && signatureOk, fileOk, signatureOk, sha256, publicKey }
  },
})

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: await shown(ctx, rows), total }
  },
  async get(ctx, { no }) {
    const row = found(await q.row(ctx, no))
    const [[seen], more, accesses] = await Promise.all([
      shown(ctx, [row]),
      q.more(ctx, no),
      q.accesses(ctx, row.id),
    ])
    const { manifest, sha256 = '', logSeq = 0, logHash = '' } = more ?? {}
    return {
      ...(seen as PackRow),
      sha256,
      logSeq,
      logHash,
      files: manifest ? Manifest.parse(JSON.parse(manifest)).files : [],
      publicKey: publicKeyOf(ctx.app.config),
      accesses,
    }
  },
  make,
  verify,
}
