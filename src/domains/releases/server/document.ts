import type { App } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Document } from '../../machines/server/documents.ts'
import { isSigned } from '../manifest.ts'
import type { ReleaseKind } from '../rules.ts'
import { trustedKeys } from './keys.ts'

type Wanted = {
  id: number
  version: number
  state: string | null
  waits: boolean
  manifestId: number
  manifest: string
  keyId: string | null
  signature: string | null
  link: string
  atOnce: boolean
  quietFrom: string
  quietTo: string
  delayMin: number
  bandwidth: number
}

/**
 * What a machine should do about a kind of release, now: GO with the signed text, HOLD, or NONE. A
 * manifest whose key is no longer known is offered to nobody.
 */
export async function releaseDocuments(
  app: App,
  kind: ReleaseKind,
  db: Db,
  deviceIds: readonly number[],
): Promise<Map<number, Document>> {
  const [keys, rows] = [
    await trustedKeys(app),
    await rowsOf<Wanted>(db)`select s.device_id as id, s.wanted as version, x.*
      from device_shadows s left join lateral (
        select r.state, u.released_at is null or u.kind = 'APK' and exists (
            select from release_updates w join rollouts f on f.id = w.rollout_id
            where w.device_id = u.device_id and w.kind = 'FIRMWARE' and w.open
              and w.released_at is not null and f.state = 'RUNNING') as waits,
          m.id as "manifestId", m.body as manifest, m.key_id as "keyId", m.signature, v.link,
          r.at_once as "atOnce", r.quiet_from as "quietFrom", r.quiet_to as "quietTo",
          r.random_delay_min as "delayMin", r.bandwidth
        from release_updates u join rollouts r on r.id = u.rollout_id
        join release_manifests m on m.id = r.manifest_id join release_versions v on v.id = r.version_id
        where u.device_id = s.device_id and u.kind = s.kind and u.open and u.org_id = s.org_id) x on true
      where s.device_id = any(${[...deviceIds]}::bigint[]) and s.kind = ${kind}`,
  ]
  return new Map(
    rows.map((row) => {
      const { id, version, manifest, keyId, signature } = row
      if (row.state === null) return [id, { version, bodies: [{ what: 'NONE' }] }]
      const signed = keyId && signature && isSigned(keys, { manifest, keyId, signature })
      if (row.state !== 'RUNNING' || row.waits || !signed)
        return [id, { version, bodies: [{ what: 'HOLD' }] }]
      const body = {
        ...{ what: 'GO', manifest, keyId, signature },
        url: row.link || `/api/machine/releases/${row.manifestId}`,
        ...{ atOnce: row.atOnce, quietFrom: row.quietFrom, quietTo: row.quietTo },
        // not all at once: each has its own moment, the same at every try
        delaySeconds: Math.floor(
          ((Math.imul(id, 2_654_435_761) >>> 0) / 2 ** 32) * row.delayMin * 60,
        ),
        bandwidth: row.bandwidth,
      }
      return [id, { version, bodies: [body] }]
    }),
  )
}
