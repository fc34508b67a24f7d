import { place, rowId, worldNow } from '../../support/world.ts'
import { type DomainSamples, own } from './kit.ts'

const numbers = Object.fromEntries(
  Object.keys(place).map((where, i) => [where, `EV20261121-90000${i}`]),
) as Record<keyof typeof place, string>

/** One in every place, about its machine. */
export const drugEvidence: DomainSamples = {
  rows: (where) => ({
    evidence_packs: {
      no: numbers[where],
      org_id: place[where],
      user_id: rowId(where, 1),
      user_name: `员工${where}`,
      lang: 'zh-CN',
      params: JSON.stringify({
        deviceIds: [rowId(where, 1)],
        batchId: null,
        code: null,
        from: '2026-11-01',
        to: '2026-11-02',
      }),
      params_hash: where,
      data_as_of: worldNow,
      device_ids: [rowId(where, 1)],
      log_seq: 1,
      log_hash: '00',
      logs: false,
      state: 'DONE',
      sha256: '00',
      manifest: JSON.stringify({
        params: { deviceIds: [], batchId: null, code: null, from: '2026-11-01', to: '2026-11-02' },
        dataAsOf: worldNow.toISOString(),
        logHead: { seq: 1, hash: '00' },
        files: [{ name: `${where}.csv`, sha256: '00', bytes: 1, rows: 1 }],
        rows: 1,
        publicKey: '',
      }),
      signature: 'AA==',
      file_key: `00000000-0000-4000-8000-00000000000${Object.keys(place).indexOf(where)}.zip`,
      created_at: worldNow,
      finished_at: worldNow,
      expires_at: '2029-11-21T00:00:00Z',
    },
  }),
  pathIds: {
    'drug-evidence-packs no': { own: (where) => numbers[where], none: 'EV20261121-999999' },
  },
  samples: {
    'drugEvidence.make': async () => ({
      deviceIds: [own],
      from: '2026-11-01',
      to: '2026-11-21',
    }),
  },
}
