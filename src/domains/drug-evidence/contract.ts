import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { evidenceErrors, evidenceLimits, packStates } from './rules.ts'

export const packTones = {
  WAITING: 'paid',
  RUNNING: 'paid',
  DONE: 'success',
  FAILED: 'fault',
} as const
const State = z.enum(packStates).meta({ tones: packTones })
const packNo = /^EV\d{8}-\d{6,}$/
export const isPackNo = (text: string): boolean => packNo.test(text)

/** What a package is about, as it was asked for. */
export const Params = z.strictObject({
  deviceIds: z.array(f.id),
  batchId: f.id.nullable(),
  code: z.string().nullable(),
  from: f.day,
  to: f.day,
})
export type Params = z.infer<typeof Params>

export const PackRow = z.strictObject({
  id: f.id,
  no: z.string(),
  userName: z.string(),
  orgName: z.string(),
  /** In words: machines, batch, box. */
  about: z.string(),
  from: f.day,
  to: f.day,
  dataAsOf: f.instant,
  devices: f.count,
  state: State,
  rows: f.count,
  fileBytes: f.count.nullable(),
  error: z.string(),
  createTime: f.instant,
  finishedAt: f.instant.nullable(),
  expiresAt: f.instant,
  can: z.strictObject({ download: z.boolean() }),
})
export type PackRow = z.infer<typeof PackRow>

export const PackFile = z.strictObject({
  name: z.string(),
  sha256: z.string(),
  bytes: f.count,
  rows: f.count,
})
/** What `manifest.json` in the package says; signed as it stands there. */
export const Manifest = z.strictObject({
  params: Params,
  dataAsOf: f.instant,
  logHead: z.strictObject({ seq: z.number().int(), hash: z.string() }),
  files: z.array(PackFile),
  rows: f.count,
  /** Ed25519, SubjectPublicKeyInfo in base64. */
  publicKey: z.string(),
})
const Access = z.strictObject({
  userName: z.string(),
  what: z.enum(['MAKE', 'DOWNLOAD']),
  at: f.instant,
})
export const PackDetail = PackRow.extend({
  sha256: z.string(),
  files: z.array(PackFile),
  logSeq: z.number().int(),
  logHash: z.string(),
  publicKey: z.string(),
  accesses: z.array(Access),
})

const no = z.strictObject({ no: z.string().regex(packNo) })
const from = bi('请选择开始日期', 'Choose the first day')
const to = bi('请选择结束日期', 'Choose the last day')

export const drugEvidence = {
  list: read('drug-evidence:read', {
    path: '/drug-evidence-packs',
    summary: 'Evidence packages: own ones, and of machines that are looked at also those of others',
    input: listQuery(
      { state: State.optional(), deviceId: f.id.optional(), ...rangeFields },
      ['createTime'],
      '-createTime',
    ),
    output: page(PackRow),
  }),
  get: read('drug-evidence:read', {
    path: '/drug-evidence-packs/{no}',
    summary: 'A package with its files, and who had it',
    input: no,
    output: PackDetail,
  }),
  verify: read('drug-evidence:read', {
    path: '/drug-evidence-packs/{no}/verify',
    summary: 'Whether the stored file and its manifest are what was signed',
    input: no,
    output: z.strictObject({
      ok: z.boolean(),
      fileOk: z.boolean(),
      signatureOk: z.boolean(),
      sha256: z.string(),
      publicKey: z.string(),
    }),
  }),
  make: write('drug-evidence:export', {
    path: '/drug-evidence-packs',
    summary: `Makes a package, of at most ${evidenceLimits.devices} machines, 366 days and ${evidenceLimits.rows} rows, ${evidenceLimits.open} at a time; the same parameters with the same data-as-of answer the one that is there`,
    audit: 'drugEvidence.make',
    errors: [
      evidenceErrors.noScope,
      evidenceErrors.tooManyDevices,
      evidenceErrors.laterThanNow,
      evidenceErrors.oneByOne,
    ],
    input: z
      .strictObject({
        deviceIds: f
          .ids()
          .max(evidenceLimits.devices, bi('设备过多', 'Too many machines'))
          .optional(),
        batchId: f.id.optional(),
        code: f.traceCode.optional(),
        from: f.dayOf(from),
        to: f.dayOf(to),
        dataAsOf: f.instant.optional(),
      })
      .superRefine(wholeRange),
    output: z.strictObject({ no: z.string() }),
  }),
}
