import { createHash, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Code } from '../../../src/domains/releases/contract.ts'
import { keyLine, signText } from '../../../src/domains/releases/manifest.ts'
import { place, rowId, type World, worldNow } from '../../support/world.ts'
import {
  byRow,
  type DomainSamples,
  fresh,
  missingId,
  type Sample,
  type Source,
  versionOf,
} from './kit.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const kinds = { apk: 'APK', firmware: 'FIRMWARE' } as const
/** The APK of a place is its first version, the firmware its second. */
const ids = { apk: 1, firmware: 2 } as const
let count = 1000

/** A version of the platform, alone that of whoever may do everything there. */
async function version(world: World, code: Code, state = 'DRAFT') {
  count += 1
  const id = await fresh(
    world,
    `insert into release_versions (org_id, kind, name, target, version_name, version_code, notes,
      link, size, sha256, state, created_at, published_at)
    values (${place.OWN}, '${kinds[code]}', '样本', 'com.sample.a${count}', '1.0.${count}', ${count},
      '说明', 'https://cdn.example.com/a', 10, '${sha('a')}', '${state}', '${worldNow.toISOString()}',
      ${state === 'DRAFT' ? 'null' : 'now()'})`,
  )
  const body = `{"serial":${count}}`
  const [keyId, signature] = signText(pem, body).split(':')
  await fresh(
    world,
    `insert into release_manifests (org_id, version_id, body, downgrade, expires_at, created_at
      ${state === 'DRAFT' ? '' : ', key_id, signature, signed_at'})
    values (${place.OWN}, ${id}, '${body}', true, '2030-01-01', '${worldNow.toISOString()}'
      ${state === 'DRAFT' ? '' : `, '${keyId}', '${signature}', now()`})`,
  )
  return { id, version: await versionOf(world, 'release_versions', id), body }
}
const one =
  (code: Code, state?: string): Sample =>
  async (world) => {
    const { id, version: v } = await version(world, code, state)
    return { id, version: v }
  }
const form = (code: Code) => {
  count += 1
  return {
    ...{ name: '样本', target: `com.sample.b${count}`, versionName: '1.0.1', versionCode: count },
    ...{ notes: '说明', link: 'https://cdn.example.com/a', size: 10, sha256: sha(code) },
  }
}

/** One that is on its way to the machine of OWN, alone. */
async function rollout(world: World, code: Code, state: string, pause = '', update = 'WAITING') {
  await world.sql(`update release_updates set state = 'CANCELLED', finished_at = now() where open`)
  const { id: versionId } = await version(world, code, 'PUBLISHED')
  const id = await fresh(
    world,
    `insert into rollouts (org_id, kind, version_id, manifest_id, name, stages, at_once, quiet_from,
      quiet_to, random_delay_min, bandwidth, guard, guard_hours, guard_drop, retries, downgrade,
      days, state, pause, created_by, created_at, started_at, finished_at, next_at)
    select ${place.OWN}, '${kinds[code]}', ${versionId}, m.id, '样本', '${JSON.stringify(stages)}',
      true, '02:00', '05:00', 0, 0, false, 24, 10, 0, false, 7, '${state}',
      ${pause ? `'${pause}'` : 'null'}, (select id from users where username = 'ROLE_AGENT'),
      now(), now(), ${state === 'DONE' ? 'now()' : 'null'},
      ${['PENDING', 'DONE'].includes(state) ? 'null' : 'now()'}
    from release_manifests m where m.version_id = ${versionId}`,
  )
  const over = ['SUCCEEDED', 'FAILED'].includes(update)
  await world.sql(
    `insert into release_updates (org_id, rollout_id, device_id, kind, stage, to_version, state,
      finished_at) values (${place.OWN}, $1, $2, '${kinds[code]}', 0, '1.0.0', '${update}',
      ${over ? 'now()' : 'null'})`,
    [id, rowId('OWN', 1)],
  )
  return { id, version: 1, versionId }
}
const stages = [
  { percent: 20, successPct: 95, errorPct: 10, errorCount: 3, after: 'PAUSE' },
  { percent: 100, successPct: 95, errorPct: 10, errorCount: 3, after: 'AUTO' },
]
const on =
  (code: Code, state: string, more: object = {}, pause = '', update = 'WAITING'): Sample =>
  async (world) => {
    const { id, version: v } = await rollout(world, code, state, pause, update)
    return { id, version: v, ...more }
  }
const plan = async (world: World, code: Code) => {
  await rollout(world, code, 'DONE', '', 'SUCCEEDED')
  const { id } = await version(world, code, 'PUBLISHED')
  return { versionId: id, deviceIds: [rowId('OWN', 1)], stages: [{ percent: 100 }] }
}
const reason = { reason: '样本' }

const samplesOf = (code: Code): Record<string, Sample> => ({
  [`releases.${code}CreateVersion`]: async () => form(code),
  [`releases.${code}UpdateVersion`]: async (world) => ({
    ...form(code),
    ...(await one(code)(world)),
  }),
  [`releases.${code}RemoveVersion`]: one(code),
  [`releases.${code}Issue`]: one(code),
  [`releases.${code}Publish`]: async (world) => {
    writeFileSync(world.app.config.releaseKeys, keyLine(publicKey, 'sample'))
    const { body, ...given } = await version(world, code)
    return { ...given, signature: signText(pem, body) }
  },
  [`releases.${code}Withdraw`]: one(code, 'PUBLISHED'),
  [`releases.${code}Preview`]: (world) => plan(world, code),
  [`releases.${code}CreateRollout`]: async (world) => ({
    ...(await plan(world, code)),
    name: '样本',
  }),
  [`releases.${code}Approve`]: on(code, 'PENDING'),
  [`releases.${code}Reject`]: on(code, 'PENDING', reason),
  [`releases.${code}Pause`]: on(code, 'RUNNING', reason),
  [`releases.${code}Resume`]: on(code, 'PAUSED', reason, 'MANUAL'),
  [`releases.${code}NextStage`]: on(code, 'PAUSED', {}, 'CHECKPOINT'),
  [`releases.${code}Abort`]: on(code, 'RUNNING', reason),
  [`releases.${code}Retry`]: on(code, 'RUNNING', {}, '', 'FAILED'),
  [`releases.${code}Revert`]: async (world) => {
    const { id, version: v, versionId } = await rollout(world, code, 'DONE', '', 'SUCCEEDED')
    // the one before it, of the same package
    const { id: before } = await version(world, code, 'PUBLISHED')
    await world.sql(
      `update release_versions b set target = v.target, version_code = v.version_code - 500,
        version_name = '0.0.1' from release_versions v where b.id = $1 and v.id = $2`,
      [before, versionId],
    )
    return { id, version: v, ...reason }
  },
  [`releases.${code}CancelDevice`]: async (world) => {
    const { id } = await rollout(world, code, 'RUNNING')
    return { id, deviceId: rowId('OWN', 1) }
  },
})
const source = (code: Code): Source => ({
  own: (where) => rowId(where, ids[code]),
  none: missingId,
  shared: true,
})

const rolloutOf = (code: Code): Source => ({
  own: (where) => rowId(where, ids[code]),
  none: missingId,
})

export const releases: DomainSamples = {
  rows: (where) => ({
    release_versions: (['APK', 'FIRMWARE'] as const).map((kind, i) => ({
      ...{ id: rowId(where, i + 1), org_id: place[where], kind, name: `版${where}` },
      ...{ target: 'com.huodao.vend', version_name: '1.0.0', version_code: 1, notes: '首版' },
      ...{ link: 'https://cdn.example.com/a', size: 10, sha256: sha('a'), created_at: worldNow },
      ...{ state: 'PUBLISHED' as const, published_at: worldNow },
    })),
    release_manifests: [1, 2].map((n) => ({
      ...{ id: rowId(where, n), org_id: place[where], version_id: rowId(where, n) },
      ...{ body: `清单${where}`, downgrade: false, expires_at: '2030-01-01' },
      ...{ key_id: '0'.repeat(16), signature: 'A'.repeat(88), signed_at: worldNow },
      created_at: worldNow,
    })),
    rollouts: [1, 2].map((n) => ({
      ...{ id: rowId(where, n), org_id: place[where], kind: n === 1 ? 'APK' : 'FIRMWARE' },
      ...{ version_id: rowId(where, n), manifest_id: rowId(where, n), name: `升${where}` },
      ...{ stages: JSON.stringify(stages), at_once: false, quiet_from: '02:00', quiet_to: '05:00' },
      ...{ random_delay_min: 0, bandwidth: 0, guard: false, guard_hours: 24, guard_drop: 10 },
      ...{ retries: 0, downgrade: false, days: 7, state: 'DONE', created_at: worldNow },
      finished_at: worldNow,
    })),
    release_updates: [1, 2].map((n) => ({
      ...{ id: rowId(where, n), org_id: place[where], rollout_id: rowId(where, n) },
      ...{ device_id: rowId(where, 1), kind: n === 1 ? 'APK' : 'FIRMWARE', stage: 0 },
      ...{ to_version: '1.0.0', state: 'SUCCEEDED', finished_at: worldNow },
    })),
  }),
  pathIds: {
    'apk-rollouts id': rolloutOf('apk'),
    'apk-rollouts deviceId': byRow,
    'firmware-rollouts id': rolloutOf('firmware'),
    'firmware-rollouts deviceId': byRow,
    'apk-versions id': source('apk'),
    'firmware-versions id': source('firmware'),
  },
  fieldIds: {
    'apk-rollouts versionId': source('apk'),
    'firmware-rollouts versionId': source('firmware'),
    deviceIds: byRow,
    canaryIds: byRow,
    deviceTypeId: { ...byRow, shared: true },
  },
  samples: { ...samplesOf('apk'), ...samplesOf('firmware') },
}
