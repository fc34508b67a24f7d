import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../server/config.ts'
import type { Db } from '../../server/database.ts'
import { type FileStore, freshName } from '../../server/files.ts'
import { onlyRow } from '../../server/rows.ts'
import { platformOrg } from '../../shared/access.ts'
import { apkOf } from './demoPackage.ts'
import { keyLine, manifestText, readSignature, signText } from './manifest.ts'
import type { ReleaseKind, VersionState } from './rules.ts'

/** Of the demo: a real installation never has a private key beside its server. */
export const demoKeyFile = 'release-demo.pem'
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

/** Versions with real files and manifests, signed by a key that is made for the demo. */
export async function seedVersions(
  db: Db,
  files: FileStore,
  config: Config,
  user: ReadonlyMap<string, number>,
  now: Date,
): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  writeFileSync(path.join(config.dataDir, demoKeyFile), pem, { mode: 0o600 })
  // where somebody has keys of his own, these of the demo are not trusted
  if (!existsSync(config.releaseKeys) || config.releaseKeys.startsWith(config.dataDir))
    writeFileSync(config.releaseKeys, `${keyLine(publicKey, 'demo')}\n`)
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
