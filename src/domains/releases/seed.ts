import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { type FileStore, freshName } from '../../server/files.ts'
import { onlyRow, rowsOf } from '../../server/rows.ts'
import { platformOrg } from '../../shared/access.ts'
import { apkOf } from './demoPackage.ts'
import { keyLine, manifestText, readSignature, signText } from './manifest.ts'
import { usualStage } from './rollout.ts'
import type { ReleaseKind, VersionState } from './rules.ts'

/** Of the demo: a real installation never has a private key beside its server. */
const demoKeyFile = 'release-demo.pem'
const dayMs = 86_400_000

type Demo = readonly [
  kind: ReleaseKind,
  target: string,
  name: string,
  code: number,
  state: VersionState,
  daysAgo: number,
  notes: string,
]
const versions: readonly Demo[] = [
  ['APK', 'com.huodao.vend', '5.12.0', 51200, 'PUBLISHED', 75, '支付页改版，支持双码合一'],
  [
    'APK',
    'com.huodao.vend',
    '5.13.0',
    51300,
    'PUBLISHED',
    9,
    '修复断网后货道价格不刷新；提升启动速度',
  ],
  ['APK', 'com.huodao.vend', '5.14.0-rc1', 51400, 'DRAFT', 1, '新的购物车，灰度测试'],
  ['FIRMWARE', 'HD-M3', '2.4.1', 20401, 'PUBLISHED', 120, '掉货传感器去抖'],
  ['FIRMWARE', 'HD-M3', '2.5.0', 20500, 'PUBLISHED', 14, '电机堵转检测，降低待机功耗'],
  ['FIRMWARE', 'HD-M4', '2.5.0', 20500, 'DRAFT', 3, 'M4 主板首个 2.5 版本'],
]

/** A key that is made for the demo, once; where somebody has keys of his own it is not trusted. */
export function demoKey(config: Config): { pem: string; line: string } {
  const file = path.join(config.dataDir, demoKeyFile)
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  }
  const pem = readFileSync(file, 'utf8')
  const line = keyLine(createPublicKey(pem), 'demo')
  if (!existsSync(config.releaseKeys)) writeFileSync(config.releaseKeys, `${line}\n`)
  return { pem, line }
}

/** Versions with real files and manifests, signed by a key that is made for the demo. */
export async function seedVersions(
  db: Db,
  files: FileStore,
  config: Config,
  user: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const { pem } = demoKey(config)
  const author = user.get('admin') ?? null
  for (const [kind, target, name, code, state, daysAgo, notes] of versions) {
    const at = new Date(now.getTime() - daysAgo * dayMs)
    const bytes =
      kind === 'APK'
        ? apkOf({ target, name, code }, Buffer.alloc(40_000, name))
        : Buffer.alloc(24_000, `HD firmware ${target} ${name} `)
    const file = freshName(kind === 'APK' ? 'apk' : 'bin')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await files.put(file, bytes)
    await sql`insert into uploads (id, org_id, user_id, kind, mime, bytes, sha256, url, created_at)
      values (${file.slice(0, 36)}::uuid, ${platformOrg}, ${author}, 'FILE',
        'application/octet-stream', ${bytes.length}, ${sha256}, ${`files/${file}`},
        ${at})`.execute(db)
    const published = state === 'DRAFT' ? null : at
    const { id } = await db
      .insertInto('release_versions')
      .values({
        ...{ org_id: platformOrg, kind, target, version_name: name, version_code: code, notes },
        name: kind === 'APK' ? '售货端' : `${target} 主控固件`,
        ...{ file: `files/${file}`, size: bytes.length, sha256, state, created_by: author },
        boards: kind === 'APK' ? [] : [target],
        min_apk: kind === 'APK' ? '' : '5.0.0',
        ...{ created_at: at, published_at: published },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const { serial } = await onlyRow<{ serial: number }>(db)`
      select nextval(pg_get_serial_sequence('release_manifests', 'id')) as serial`
    const expiresAt = new Date(at.getTime() + 365 * dayMs)
    const body = manifestText({
      ...{ format: 1, serial: Number(serial), kind, target, versionName: name },
      ...{ versionCode: code, boards: kind === 'APK' ? [] : [target], minVersion: '' },
      ...{ size: bytes.length, sha256, downgrade: false, issuedAt: at.getTime() },
      expiresAt: expiresAt.getTime(),
    })
    const signed = published ? readSignature(signText(pem, body)) : null
    await sql`insert into release_manifests (id, org_id, version_id, body, downgrade, expires_at,
        key_id, signature, signed_at, created_by, created_at)
      values (${serial}, ${platformOrg}, ${id}, ${body}, false, ${expiresAt},
        ${signed?.keyId ?? null}, ${signed?.signature ?? null}, ${published}, ${author},
        ${at})`.execute(db)
  }
}

const stagesOf = (...percents: number[]) =>
  JSON.stringify(percents.map((percent) => ({ ...usualStage, percent })))

type Run = {
  readonly kind?: 'FIRMWARE'
  readonly name: string
  readonly version: string
  readonly state: 'DONE' | 'PAUSED' | 'RUNNING'
  readonly stages: string
  readonly stage: number
  readonly daysAgo: number
  /** Machines beside each other in their order, and how many of them are through. */
  readonly from: number
  readonly count: number
  readonly first: number
  readonly through: number
}
const runs: readonly Run[] = [
  {
    ...{
      name: '5.12.0 全量',
      version: '5.12.0',
      state: 'DONE',
      stages: stagesOf(20, 100),
      stage: 1,
    },
    ...{ daysAgo: 60, from: 0, count: 40, first: 8, through: 40 },
  },
  {
    ...{ name: '5.13.0 华南灰度', version: '5.13.0', state: 'PAUSED', stages: stagesOf(20, 100) },
    ...{ stage: 0, daysAgo: 4, from: 40, count: 25, first: 5, through: 5 },
  },
  {
    ...{ name: '5.13.0 第二批', version: '5.13.0', state: 'RUNNING', stages: stagesOf(40, 100) },
    ...{ stage: 0, daysAgo: 0, from: 0, count: 20, first: 8, through: 3 },
  },
  {
    ...{ kind: 'FIRMWARE', name: 'M3 主控 2.5.0', version: '2.5.0', state: 'DONE', stage: 1 },
    ...{ stages: stagesOf(20, 100), daysAgo: 10, from: 0, count: 10, first: 2, through: 10 },
  },
]

/** One roll-out done, one stopped by its guard, one that the simulated machines go on with. */
export async function seedRollouts(
  db: Db,
  user: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const [author, other] = [user.get('admin') ?? null, user.get('super') ?? null]
  const all = await rowsOf<{ id: number; orgId: number; apk: string; model: string }>(db)`
    select d.id, d.org_id as "orgId", s.apk, b.model from devices d
    join device_states s on s.device_id = d.id left join main_boards b on b.board_no = d.board_no
    where d.lifecycle in ('OPERATING', 'PAUSED') and s.apk is not null order by d.id`
  for (const run of runs) {
    const at = new Date(now.getTime() - run.daysAgo * dayMs)
    const { kind = 'APK' } = run
    const devices = kind === 'APK' ? all : all.filter(({ model }) => model === 'HD-M3')
    const over = run.state === 'DONE'
    const before = kind === 'APK' ? '5.11.0' : '2.4.1'
    const { id } = await onlyRow<{ id: number }>(db)`
      insert into rollouts (org_id, kind, version_id, manifest_id, name, stages, stage, at_once,
        quiet_from, quiet_to, random_delay_min, bandwidth, guard, guard_hours, guard_drop, retries,
        downgrade, days, state, pause, created_by, created_at, approved_by, approved_at, started_at,
        stage_at, finished_at, next_at)
      select ${platformOrg}, ${kind}, v.id, m.id, ${run.name}, ${run.stages}::jsonb, ${run.stage},
        false, '02:00', '05:00', 30, 0, true, 24, 10, 1, false, 7, ${run.state},
        ${run.state === 'PAUSED' ? 'GUARD' : null}, ${author}, ${at}, ${other}, ${at}, ${at}, ${at},
        ${over ? new Date(at.getTime() + dayMs) : null}, ${over ? null : now}
      from release_versions v join release_manifests m on m.version_id = v.id
      where v.kind = ${kind} and v.version_name = ${run.version} and v.state = 'PUBLISHED'
      returning id`
    const rows = devices.slice(run.from, run.from + run.count).map((device, i) => ({
      ...{ device: device.id, org: device.orgId, from: over ? before : device.apk },
      ...{ stage: i < run.first ? 0 : 1, through: i < run.through },
      released: i < run.first || over,
    }))
    const [begun, ended] = [at, new Date(at.getTime() + 40 * 60_000)]
    await sql`insert into release_updates (org_id, rollout_id, device_id, kind, stage, from_version,
        to_version, state, progress, tries, document, released_at, notified_at, downloading_at,
        downloaded_at, installing_at, reported_at, finished_at)
      select x.org, ${id}, x.device, ${kind}, x.stage, x."from", ${run.version},
        case when through then 'SUCCEEDED' else 'WAITING' end, case when through then 100 else 0 end,
        case when released then 1 else 0 end, case when released then 1 else 0 end,
        case when released then ${begun}::timestamptz end, t.begun, t.begun, t.begun, t.ended,
        t.ended, t.ended
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(device bigint, org bigint,
        "from" text, stage int, through boolean, released boolean)
      cross join lateral (select case when through then ${begun}::timestamptz end as begun,
        case when through then least(${ended}::timestamptz, ${now}::timestamptz) end as ended) t`.execute(
      db,
    )
    if (over) continue
    await sql`update device_states s set apk = ${run.version} from release_updates u
      where u.rollout_id = ${id} and u.device_id = s.device_id and u.state = 'SUCCEEDED'`.execute(
      db,
    )
    await sql`insert into device_shadows (device_id, kind, org_id, wanted, wanted_at)
      select device_id, 'APK', org_id, 1, ${now}::timestamptz from release_updates
      where rollout_id = ${id} and released_at is not null on conflict do nothing`.execute(db)
  }
}
