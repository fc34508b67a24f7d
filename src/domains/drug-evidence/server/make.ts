import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { App, Ctx } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Kind, Lost, leased, type Piece } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import type { Lang } from '../../../shared/text.ts'
import { bi } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { neutralised } from '../../jobs/rules.ts'
import { notify } from '../../notices/server/notify.ts'
import type { Manifest as ManifestShape, Params } from '../contract.ts'
import { evidenceErrors, evidenceLimits } from '../rules.ts'
import { pdfOf } from './pdf.ts'
import { type Section, sectionsOf } from './sections.ts'
import { publicKeyOf, signed } from './signing.ts'
import { openZip } from './zip.ts'

type Manifest = z.infer<typeof ManifestShape>
type Pack = Piece & {
  id: number
  no: string
  org_id: number
  user_id: number
  lang: Lang
  params: Params
  data_as_of: Date
  device_ids: number[]
  log_seq: number
  log_hash: string
  logs: boolean
}
type Made = {
  state: 'DONE'
  file: { name: string; bytes: number }
  sha256: string
  manifest: string
  signature: string
  rows: number
}

/** Rows of one read: what is in memory at a time. */
const perFetch = 1000
/** Long before the lease ends. */
const renewMs = 20_000

export const evidenceKind = (app: App): Kind<Pack, Made> => {
  const kind: Kind<Pack, Made> = {
    name: 'evidence-packs',
    table: 'evidence_packs',
    begins: sql`state = 'RUNNING'`,
    atOnce: 1,
    leaseSeconds: 600,
    waits: [30, 120],
    do: (pack) => make(app, pack, () => renew(pack)),
    async mark(ctx, pack, to) {
      if (to.state === 'DONE') await keep(ctx, pack, to)
      else {
        const failed = to.state === 'FAILED'
        await sql`update evidence_packs set state = ${failed ? 'FAILED' : 'WAITING'},
          next_at = ${to.nextAt}, error = ${failed ? to.reason.slice(0, 500) : ''},
          finished_at = ${failed ? ctx.now : null} where ${pack.ours}`.execute(ctx.db)
      }
      ctx.touch('drug-evidence', pack.org_id)
    },
  }
  return kind

  async function renew(pack: Pack) {
    const kept = await app.database.transact(systemScope, (db) =>
      sql`update evidence_packs set ${leased(app, kind)} where ${pack.ours}`.execute(db),
    )
    if (!kept.numAffectedRows) throw new Lost()
  }
}

async function keep(ctx: Ctx, pack: Pack, made: Made): Promise<void> {
  const kept = await sql`update evidence_packs set state = 'DONE', next_at = null,
      finished_at = ${ctx.now}, file_key = ${made.file.name}, file_bytes = ${made.file.bytes},
      sha256 = ${made.sha256}, manifest = ${made.manifest}, signature = ${made.signature},
      rows = ${made.rows} where ${pack.ours}`.execute(ctx.db)
  if (!kept.numAffectedRows) {
    ctx.afterCommit(() => ctx.app.files.remove(made.file.name))
    return
  }
  await notify(ctx, {
    kind: 'SYSTEM',
    title: bi(`证据包 ${pack.no} 已生成`, `Evidence package ${pack.no} is made`),
    link: '/stock/drug-control/evidence',
    userIds: [pack.user_id],
  })
}

/** By the rights its person has now, in one snapshot. */
async function make(app: App, pack: Pack, renew: () => Promise<void>): Promise<Made> {
  const person = await loadPerson(app.database, pack.user_id)
  if (!person?.permissions.has('drug-evidence:export')) throw new Refusal(evidenceErrors.rightLost)
  const scope = person.scopeOf('drug-evidence:export')
  const actor = { ...person, sessionId: null, scope }
  const whole = createHash('sha256')
  const done: { manifest: string; signature: string; rows: number }[] = []
  const file = await app.database.snapshot(scope, (db) => {
    async function* parts() {
      for await (const part of contents(app, db, { actor }, pack, renew, done)) {
        whole.update(part)
        yield part
      }
    }
    return app.files.write(parts(), 'zip')
  })
  const [end] = done
  if (!end) throw new Error('a package without an end')
  return { state: 'DONE', file, sha256: whole.digest('hex'), ...end }
}

async function* contents(
  app: App,
  db: Db,
  ctx: Pick<Ctx, 'actor'>,
  pack: Pack,
  renew: () => Promise<void>,
  done: { manifest: string; signature: string; rows: number }[],
): AsyncGenerator<Buffer> {
  const zip = openZip()
  const files: Manifest['files'] = []
  let left: number = evidenceLimits.rows
  let renewedAt = performance.now()
  /** Adds a file and what the manifest says of it. */
  async function* add(name: string, chunks: AsyncIterable<Buffer>, rows: () => number) {
    const sum = createHash('sha256')
    let bytes = 0
    async function* seen() {
      for await (const chunk of chunks) {
        sum.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    }
    yield* zip.add(name, seen())
    files.push({ name, sha256: sum.digest('hex'), bytes, rows: rows() })
  }
  const sections = sectionsOf(ctx, {
    params: pack.params,
    deviceIds: pack.device_ids,
    asOf: pack.data_as_of,
    logs: pack.logs,
  })
  for (const section of sections) {
    let rows = 0
    const counted = async (n: number) => {
      rows += n
      left -= n
      if (left < 0) throw new Refusal(evidenceErrors.tooManyRows, { most: evidenceLimits.rows })
      // whoever waits comes before the rows that were just read
      await breathe()
      if (performance.now() - renewedAt < renewMs) return
      renewedAt = performance.now()
      await renew()
    }
    yield* add(section.file, csvOf(db, section, pack.lang, counted), () => rows)
  }
  const summary = summaryOf(pack, sections, files)
  yield* add(
    'summary.pdf',
    once(pdfOf(summary.map((text, i) => ({ text, size: i ? 10 : 16 })))),
    () => 0,
  )
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const manifest = JSON.stringify(
    {
      params: pack.params,
      dataAsOf: pack.data_as_of.toISOString(),
      logHead: { seq: pack.log_seq, hash: pack.log_hash },
      files,
      rows,
      publicKey: publicKeyOf(app.config),
    } satisfies Manifest,
    null,
    2,
  )
  const signature = signed(app.config, manifest)
  yield* zip.add('manifest.json', once(Buffer.from(manifest)))
  yield* zip.add('manifest.sig', once(Buffer.from(`${signature}\n`)))
  yield zip.end()
  done.push({ manifest, signature, rows })
}

async function* once(buffer: Buffer) {
  yield buffer
}

/** A table through a cursor, with its heads. */
async function* csvOf(
  db: Db,
  { file, columns, from }: Section,
  lang: Lang,
  counted: (rows: number) => Promise<void>,
): AsyncGenerator<Buffer> {
  const heads = columns.map(([zh, en]) => (lang === 'en' ? en : zh))
  yield Buffer.from(`\ufeff${lineOf(heads)}`)
  const cursor = sql.id(`evidence_${file.replaceAll(/\W/g, '_')}`)
  const cells = sql.join(columns.map(([, , value]) => sql`(${value})::text`))
  await sql`declare ${cursor} no scroll cursor for select array[${cells}] as cells from ${from}`.execute(
    db,
  )
  for (;;) {
    const rows = await rowsOf<{ cells: (string | null)[] }>(
      db,
    )`fetch ${sql.raw(String(perFetch))} from ${cursor}`
    await counted(rows.length)
    if (rows.length) yield Buffer.from(rows.map((row) => lineOf(row.cells)).join(''))
    if (rows.length < perFetch) break
  }
  await sql`close ${cursor}`.execute(db)
}

/** Text as in any other file of ours; what is a number stays one. */
const cellOf = (value: string | null): string => {
  const text = value === null ? '' : /^-[\d.]+$/.test(value) ? value : neutralised(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
const lineOf = (cells: readonly (string | null)[]) => `${cells.map(cellOf).join(',')}\r\n`

function summaryOf(pack: Pack, sections: readonly Section[], files: Manifest['files']): string[] {
  const { params, lang } = pack
  const say = (zh: string, en: string) => (lang === 'en' ? en : zh)
  const names = new Map(sections.map(({ file, zh, en }) => [file, say(zh, en)]))
  return [
    say('药品监管证据包', 'Drug evidence package'),
    '',
    say(`期间：${params.from} 至 ${params.to}`, `Period: ${params.from} to ${params.to}`),
    say(`设备：${pack.device_ids.length} 台`, `Machines: ${pack.device_ids.length}`),
    ...(params.code ? [say(`追溯码：${params.code}`, `Trace code: ${params.code}`)] : []),
    say(
      `数据截至：${shanghaiClock(pack.data_as_of).slice(0, 19).replace('T', ' ')}`,
      `Data as of: ${shanghaiClock(pack.data_as_of).slice(0, 19).replace('T', ' ')}`,
    ),
    say(
      `日志链头：${pack.log_seq} ${pack.log_hash}`,
      `Head of the log: ${pack.log_seq} ${pack.log_hash}`,
    ),
    '',
    ...files.flatMap(({ name, rows, sha256 }) => [
      `${names.get(name) ?? name}  ${name}  ${say(`${rows} 行`, `${rows} rows`)}`,
      `  sha256 ${sha256}`,
    ]),
    '',
    say(
      'manifest.json 含每个文件的 sha256，由 manifest.sig（Ed25519）签名。',
      'manifest.json names the sha256 of each file and is signed by manifest.sig (Ed25519).',
    ),
  ]
}

/** After three years the row stays, its file goes. */
export async function removeOldPacks(app: App): Promise<void> {
  for (;;) {
    const rows = await app.database.transact(
      systemScope,
      (db) =>
        rowsOf<{ key: string }>(db)`with old as (select id, file_key as key from evidence_packs
          where file_key is not null and expires_at <= ${app.now()} limit 200
          for update skip locked)
        update evidence_packs p set file_key = null from old where p.id = old.id
        returning old.key`,
    )
    if (!rows.length) return
    for (const { key } of rows) await app.files.remove(key)
  }
}
