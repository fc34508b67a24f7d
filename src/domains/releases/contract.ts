import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { common } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { rolloutsOf } from './rolloutContract.ts'
import { packageLimit, releaseErrors, versionForm, versionStateNames } from './rules.ts'

/** Both kinds have the same endpoints, under their own paths and rights. */
export const codes = ['apk', 'firmware'] as const
export type Code = (typeof codes)[number]
export const kindOf = { apk: 'APK', firmware: 'FIRMWARE' } as const

const State = z.enum(versionStateNames).meta({
  tones: { DRAFT: 'offline', PUBLISHED: 'success', WITHDRAWN: 'closed' },
})
const noVersion = bi('迭代版本号不能为空', 'Enter the version')
const versionName = z
  .string({ error: noVersion })
  .trim()
  .min(1, noVersion)
  .max(40)
  .regex(versionForm, bi('版本号格式如 5.12.0', 'A version such as 5.12.0'))
const optionalVersion = z
  .union([z.literal(''), z.string().trim().max(40).regex(versionForm)], {
    error: bi('版本号格式如 5.12.0', 'A version such as 5.12.0'),
  })
  .default('')
const noTarget = bi('请填写包名或选择主板型号', 'Enter the package or the board model')
const model = z.string().trim().min(1).max(40)
const fields = {
  name: f.text(50, bi('名称不能为空', 'Enter a name')),
  /** Of an uploaded APK its own count; what is sent beside it has to be the same. */
  target: f.text(120, noTarget),
  versionName,
  versionCode: z
    .number({ error: bi('请填写版本码', 'Enter the version code') })
    .int()
    .min(1)
    .max(2_100_000_000),
  notes: f.lines(2000, bi('版本说明不能为空', 'Say what is new')),
  /** What an upload answered; empty: it lies elsewhere. */
  file: z
    .union([z.literal(''), z.string().regex(/^files\/[a-z0-9-]{36}\.(apk|bin)$/)])
    .default('')
    .meta({ unit: 'plain' }),
  link: z
    .union(
      [
        z.literal(''),
        z.url({ protocol: /^https$/, error: bi('须为 https 链接', 'An https link') }).max(500),
      ],
      { error: bi('须为 https 链接', 'An https link') },
    )
    .default(''),
  size: z.number().int().min(0).max(2_147_483_648).default(0),
  sha256: z
    .union([z.literal(''), z.string().regex(/^[0-9a-f]{64}$/)], {
      error: bi('SHA-256 为 64 位小写十六进制', 'SHA-256: 64 small hexadecimal digits'),
    })
    .default(''),
  boards: z.array(model).max(50).default([]),
  minVersion: optionalVersion,
  minApk: optionalVersion,
  driver: f.optionalText(40),
  mandatory: z.boolean().default(false),
}
export const NewVersion = z.strictObject(fields)
export type NewVersion = z.infer<typeof NewVersion>
export const EditVersion = z.strictObject({ id: f.id, version: f.version, ...fields })

export const VersionRow = z.strictObject({
  id: f.id,
  kind: z.enum(['APK', 'FIRMWARE']),
  ...f.shown(fields),
  state: State,
  /** Until when the newest signed manifest holds. */
  signedUntil: f.instant.nullable(),
  downgrade: z.boolean(),
  keyId: z.string(),
  /** Its newest manifest waits for its signature. */
  toSign: z.boolean(),
  /** Machines of the reader's scope that run it, and of how many that say what they run. */
  installs: f.count,
  installShare: z.number().int().min(0).max(1000).meta({ unit: 'permille' }),
  author: z.string(),
  publishTime: f.instant.nullable(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    publish: z.boolean(),
    issue: z.boolean(),
    withdraw: z.boolean(),
    rollout: z.boolean(),
  }),
})
export type VersionRow = z.infer<typeof VersionRow>
export const VersionOption = VersionRow.pick({
  id: true,
  name: true,
  target: true,
  versionName: true,
  versionCode: true,
  boards: true,
})
export type VersionOption = z.infer<typeof VersionOption>

const Text = z.strictObject({
  manifest: z.string(),
  serial: f.id,
  expireTime: f.instant,
  downgrade: z.boolean(),
  signed: z.boolean(),
})
const one = z.strictObject({ id: f.id })
const oneOf = { id: f.id, version: f.version }
const wantSignature = bi('请粘贴签名', 'Paste the signature')
const checks = [
  releaseErrors.codeTooLow,
  releaseErrors.codeTaken,
  releaseErrors.fileOrLink,
  releaseErrors.notApk,
  releaseErrors.notFirmware,
  releaseErrors.noManifest,
]

export const versionsOf = <C extends Code>(code: C) => ({
  versions: read(`${code}:read`, {
    path: `/${code}-versions`,
    summary: `Versions of ${code === 'apk' ? 'apps' : 'firmware'}, newest first`,
    input: listQuery(
      {
        keyword,
        target: z.string().trim().max(120).optional(),
        versionName: z.string().trim().max(40).optional(),
        board: z.string().trim().max(40).optional(),
        state: State.optional(),
        ...rangeFields,
      },
      ['createTime', 'versionCode'],
      '-createTime',
    ),
    output: page(VersionRow),
    export: `${code}:export`,
  }),
  versionOptions: read(`${code}:read`, {
    path: `/${code}-versions/options`,
    summary: 'Published versions for a select box; at most 200',
    output: z.strictObject({ list: z.array(VersionOption) }),
  }),
  spread: read(`${code}:read`, {
    path: `/${code}-versions/spread`,
    summary: 'Which versions the machines of the scope run, most frequent first; at most 50',
    output: z.strictObject({
      total: f.count,
      versions: z.array(z.strictObject({ versionName: z.string(), count: f.count })),
    }),
  }),
  version: read(`${code}:read`, {
    path: `/${code}-versions/{id}`,
    summary: 'One version',
    input: one,
    output: VersionRow,
  }),
  upload: write(`${code}:create`, {
    path: `/${code}-packages`,
    summary: `The file of a version, field \`file\`, up to ${packageLimit} bytes; of an app its package and version are read from it`,
    audit: { none: 'the uploads row keeps who and when; the version that names it is logged' },
    upload: true,
    errors: [
      releaseErrors.fileTooLarge,
      releaseErrors.noFile,
      releaseErrors.notMultipart,
      releaseErrors.notApk,
      releaseErrors.notFirmware,
      releaseErrors.noManifest,
      common.tooMany,
    ],
    output: z.strictObject({
      file: z.string(),
      size: f.count,
      sha256: z.string(),
      form: z.enum(['APK', 'BIN', 'HEX', 'ZIP']),
      target: z.string(),
      versionName: z.string(),
      versionCode: f.count,
    }),
  }),
  createVersion: write(`${code}:create`, {
    path: `/${code}-versions`,
    summary: 'Add a version as a draft, with the manifest that is to be signed',
    audit: 'releases.createVersion',
    errors: checks,
    input: NewVersion,
    output: VersionRow,
  }),
  updateVersion: write(`${code}:update`, {
    method: 'PUT',
    path: `/${code}-versions/{id}`,
    summary: 'Change a draft, with another manifest; of a published version its notes',
    audit: 'releases.updateVersion',
    errors: [...checks, releaseErrors.fileFixed],
    input: EditVersion,
    output: VersionRow,
  }),
  removeVersion: write(`${code}:delete`, {
    method: 'DELETE',
    path: `/${code}-versions/{id}`,
    summary: 'Delete a draft',
    audit: 'releases.removeVersion',
    errors: [releaseErrors.wrongState, releaseErrors.hasHistory],
    input: z.strictObject(oneOf),
    output: f.done,
  }),
  manifest: read(`${code}:read`, {
    path: `/${code}-versions/{id}/manifest`,
    summary: 'The newest manifest of a version: the text that is signed',
    input: one,
    output: Text,
  }),
  issue: write(`${code}:publish`, {
    path: `/${code}-versions/{id}/manifests`,
    summary: 'Another manifest to be signed: with a new end, or one that machines may go back by',
    audit: 'releases.issue',
    errors: [releaseErrors.wrongState],
    input: z.strictObject({
      ...oneOf,
      days: z.number().int().min(1).max(730).default(365),
      downgrade: z.boolean().default(false),
    }),
    output: Text,
  }),
  publish: write(`${code}:publish`, {
    path: `/${code}-versions/{id}/publish`,
    summary: 'Offer the version: with the signature of its newest manifest',
    audit: 'releases.publish',
    fresh: true,
    errors: [releaseErrors.badSignature, releaseErrors.expired, releaseErrors.wrongState],
    input: z.strictObject({
      ...oneOf,
      signature: z.string({ error: wantSignature }).trim().min(1, wantSignature).max(500),
    }),
    output: VersionRow,
  }),
  withdraw: write(`${code}:publish`, {
    path: `/${code}-versions/{id}/withdraw`,
    summary: 'No new roll-outs of it; those under way go on, or end',
    audit: 'releases.withdraw',
    errors: [releaseErrors.wrongState],
    input: z.strictObject({ ...oneOf, abort: z.boolean().default(false) }),
    output: VersionRow,
  }),
})
export type VersionsContract = ReturnType<typeof versionsOf<Code>>

type Under<P extends string, C> = {
  readonly [K in keyof C & string as `${P}${Capitalize<K>}`]: C[K]
}
/** The endpoints of a kind under its name: `apkVersions`, `firmwarePublish`. */
export const under = <P extends string, C extends object>(prefix: P, all: C): Under<P, C> =>
  Object.fromEntries(
    Object.entries(all).map(([key, one]) => [
      `${prefix}${key[0]?.toUpperCase()}${key.slice(1)}`,
      one,
    ]),
  ) as never

const whole = <C extends Code>(code: C) => ({ ...versionsOf(code), ...rolloutsOf(code) })
export const ofKind = { apk: whole('apk'), firmware: whole('firmware') }
export const releases = {
  ...under('apk', ofKind.apk),
  ...under('firmware', ofKind.firmware),
}
