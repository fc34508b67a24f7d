import { createHash, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Code } from '../../../src/domains/releases/contract.ts'
import { keyLine, signText } from '../../../src/domains/releases/manifest.ts'
import { place, rowId, type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, fresh, missingId, type Sample, type Source, versionOf } from './kit.ts'

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
})
const source = (code: Code): Source => ({
  own: (where) => rowId(where, ids[code]),
  none: missingId,
  shared: true,
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
  }),
  pathIds: { 'apk-versions id': source('apk'), 'firmware-versions id': source('firmware') },
  samples: { ...samplesOf('apk'), ...samplesOf('firmware') },
}
