import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, may, owns } from '../../../server/context.ts'
import { exists, onlyRow } from '../../../server/rows.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import {
  type Code,
  kindOf,
  type NewVersion,
  type releases,
  under,
  type VersionRow,
  type VersionsContract,
} from '../contract.ts'
import { isSigned, type Keys, manifestText, readSignature } from '../manifest.ts'
import { type ReleaseKind, releaseErrors, removable, withdrawable } from '../rules.ts'
import { trustedKeys } from './keys.ts'
import { readPackage, takePackage } from './package.ts'
import * as q from './queries.ts'
import { abortAll, rolloutHandlers } from './rollouts.ts'

const yearMs = 365 * 86_400_000

function versionHandlers(code: Code): Handlers<VersionsContract> {
  const kind: ReleaseKind = kindOf[code]

  const shown = (ctx: Ctx, { orgId, ...row }: q.Version): VersionRow => {
    const owned = owns(ctx, orgId)
    const mine = (action: string) => owned && may(ctx, `${code}:${action}`)
    return {
      ...row,
      can: {
        update: mine('update') && row.state !== 'WITHDRAWN',
        delete: mine('delete') && removable(row) === null,
        publish: mine('publish') && row.toSign,
        issue: mine('publish'),
        withdraw: mine('publish') && withdrawable(row) === null,
        rollout: may(ctx, `${code}:rollout`) && row.state === 'PUBLISHED',
      },
    }
  }
  const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, kind, id)))
  /** A version of the platform may be used, not changed: 404 as for a foreign one. */
  const own = async (ctx: Ctx, id: number): Promise<q.Version> => {
    const row = found(await q.row(ctx, kind, id))
    if (!owns(ctx, row.orgId)) throw new Refusal(common.notFound)
    await sql`select from release_versions where id = ${id} for update`.execute(ctx.db)
    return found(await q.row(ctx, kind, id))
  }
  const unique = guarding({ release_versions_code: [releaseErrors.codeTaken, 'versionCode'] })

  /** What is written of a draft: what its file says counts, and what the server measured of it. */
  async function written(ctx: Ctx, input: NewVersion, file: Read, id: number) {
    if ((input.file === '') === (input.link === ''))
      throw fieldRefusal(releaseErrors.fileOrLink, ['file', 'link'])
    if (input.link && (!input.sha256 || !input.size))
      throw fieldRefusal(releaseErrors.fileOrLink, input.sha256 ? 'size' : 'sha256')
    const measured = input.file
      ? (file ?? found(await q.uploaded(ctx, input.file)))
      : { size: input.size, sha256: input.sha256 }
    const version = { ...input, ...measured, link: input.file ? '' : input.link }
    await q.holdTarget(ctx, kind, version.target)
    const newest = await q.newestCode(ctx, kind, version.target, id)
    if (version.versionCode <= newest)
      throw fieldRefusal(releaseErrors.codeTooLow, 'versionCode', { n: newest })
    return columns('release_versions', {
      ...version,
      boards: kind === 'APK' ? version.boards : [version.target],
      minApk: kind === 'APK' ? '' : version.minApk,
    })
  }

  type Read = { size: number; sha256: string; target?: string } | null
  /** What an uploaded app says of itself, read again: what was sent beside it is not asked. */
  async function packed<I extends NewVersion>(app: App, input: I): Promise<I> {
    if (!input.file) return input
    const read = await readPackage(app, kind, input.file)
    return read.form === 'APK'
      ? { ...input, target: read.target, versionName: read.name, versionCode: read.code }
      : input
  }

  /** The text that is to be signed now. */
  async function issue(ctx: Ctx, id: number, ms: number, downgrade: boolean) {
    const v = found(await q.row(ctx, kind, id))
    const { serial } = await onlyRow<{ serial: number }>(ctx.db)`
      select nextval(pg_get_serial_sequence('release_manifests', 'id')) as serial`
    const expiresAt = new Date(ctx.now.getTime() + ms)
    const body = manifestText({
      ...{ format: 1, serial: Number(serial), kind, target: v.target },
      ...{ versionName: v.versionName, versionCode: v.versionCode, boards: v.boards },
      ...{ minVersion: v.minVersion, size: v.size, sha256: v.sha256, downgrade },
      ...{ issuedAt: ctx.now.getTime(), expiresAt: expiresAt.getTime() },
    })
    await sql`insert into release_manifests (id, org_id, version_id, body, downgrade, expires_at,
        created_by, created_at)
      values (${serial}, ${v.orgId}, ${id}, ${body}, ${downgrade}, ${expiresAt},
        ${ctx.actor.userId}, ${ctx.now})`.execute(ctx.db)
  }
  const textOf = async (ctx: Ctx, id: number) => {
    const m = found(await q.newestManifest(ctx, id))
    return {
      ...{ manifest: m.body, serial: m.id, expireTime: m.expiresAt.toISOString() },
      ...{ downgrade: m.downgrade, signed: m.signed },
    }
  }
  const facts = ({ can: _, installs: _i, installShare: _s, ...row }: VersionRow) => row

  const createVersion = prepared<VersionsContract['createVersion'], NewVersion>({
    prepare: packed,
    async run(ctx, _input, input) {
      const values = {
        ...(await written(ctx, input, null, 0)),
        ...{ org_id: ctx.actor.orgId, kind, created_by: ctx.actor.userId, created_at: ctx.now },
      }
      const { id } = await unique(
        ctx.db
          .insertInto('release_versions')
          .values(values)
          .returning('id')
          .executeTakeFirstOrThrow(),
      )
      await issue(ctx, id, yearMs, false)
      const after = await get(ctx, id)
      ctx.audit({ id, name: `${after.name} ${after.versionName}`, after: facts(after) })
      ctx.touch('releases')
      return after
    },
  })

  const updateVersion_ = prepared<VersionsContract['updateVersion'], NewVersion>({
    async prepare(app, { id: _, version: _v, ...input }) {
      return packed(app, input)
    },
    async run(ctx, { id, version }, input) {
      const before = await own(ctx, id)
      if (before.state === 'DRAFT') {
        const same = before.file !== '' && before.file === input.file ? before : null
        await unique(
          updateVersion(
            ctx,
            'release_versions',
            { id, version },
            await written(ctx, input, same, id),
          ),
        )
        await issue(ctx, id, yearMs, false)
      } else {
        const { name, notes, ...rest } = input
        const fixed = (Object.keys(rest) as (keyof typeof rest)[]).filter(
          (key) =>
            JSON.stringify(rest[key]) !== JSON.stringify(before[key]) &&
            !(rest[key] === '' || rest[key] === 0),
        )
        if (fixed.length) throw fieldRefusal(releaseErrors.fileFixed, fixed)
        await updateVersion(ctx, 'release_versions', { id, version }, { name, notes })
      }
      const after = await get(ctx, id)
      ctx.audit({
        ...{ id, name: `${after.name} ${after.versionName}`, orgId: before.orgId },
        ...{ before: facts(shown(ctx, before)), after: facts(after) },
      })
      ctx.touch('releases')
      return after
    },
  })

  return {
    async versions(ctx, input) {
      const { rows, total } = await q.listRows(ctx, kind, input)
      return { list: rows.map((row) => shown(ctx, row)), total }
    },
    versionOptions: async (ctx) => ({ list: await q.options(ctx, kind) }),
    spread: (ctx) => q.spread(ctx, kind),
    version: (ctx, { id }) => get(ctx, id),
    upload: prepared<VersionsContract['upload'], Awaited<ReturnType<typeof takePackage>>>({
      prepare: (app, _input, request, actor) => takePackage(app, kind, request, actor),
      async run(_ctx, _input, { package: read, ...file }) {
        const head =
          read.form === 'APK'
            ? { target: read.target, versionName: read.name, versionCode: read.code }
            : { target: '', versionName: '', versionCode: 0 }
        return { ...file, form: read.form, ...head }
      },
    }),
    createVersion,
    updateVersion: updateVersion_,
    async removeVersion(ctx, { id, version }) {
      const before = await own(ctx, id)
      reject(removable(before))
      if (await exists(ctx.db)`select from rollouts where version_id = ${id} limit 1`)
        throw new Refusal(releaseErrors.hasHistory)
      await sql`delete from release_manifests where version_id = ${id}`.execute(ctx.db)
      await deleteVersion(ctx, 'release_versions', { id, version })
      ctx.audit({
        ...{ id, name: `${before.name} ${before.versionName}`, orgId: before.orgId },
        before: facts(shown(ctx, before)),
      })
      ctx.touch('releases')
      return { ok: true as const }
    },
    manifest: (ctx, { id }) => textOf(ctx, id),
    async issue(ctx, { id, version, days, downgrade }) {
      const before = await own(ctx, id)
      await updateVersion(ctx, 'release_versions', { id, version }, {})
      await issue(ctx, id, days * 86_400_000, downgrade)
      const text = await textOf(ctx, id)
      ctx.audit({
        ...{ id, name: `${before.name} ${before.versionName}`, orgId: before.orgId },
        after: { serial: text.serial, expireTime: text.expireTime, downgrade },
      })
      ctx.touch('releases')
      return text
    },
    publish: prepared<VersionsContract['publish'], Keys>({
      prepare: trustedKeys,
      async run(ctx, { id, version, signature }, keys) {
        const before = await own(ctx, id)
        const text = found(await q.newestManifest(ctx, id))
        const read = readSignature(signature)
        if (!read || !isSigned(keys, { manifest: text.body, ...read }))
          throw fieldRefusal(releaseErrors.badSignature, 'signature')
        if (text.expiresAt <= ctx.now) throw new Refusal(releaseErrors.expired)
        await sql`update release_manifests set key_id = ${read.keyId},
            signature = ${read.signature}, signed_at = coalesce(signed_at, ${ctx.now})
          where id = ${text.id}`.execute(ctx.db)
        await updateVersion(
          ctx,
          'release_versions',
          { id, version },
          {
            state: 'PUBLISHED',
            published_at: ctx.now,
          },
        )
        const after = await get(ctx, id)
        ctx.audit({
          ...{ id, name: `${after.name} ${after.versionName}`, orgId: before.orgId },
          ...{ before: facts(shown(ctx, before)), after: { ...facts(after), serial: text.id } },
        })
        ctx.touch('releases')
        return after
      },
    }),
    async withdraw(ctx, { id, version, abort }) {
      const before = await own(ctx, id)
      reject(withdrawable(before))
      if (abort) await abortAll(ctx, id)
      await updateVersion(ctx, 'release_versions', { id, version }, { state: 'WITHDRAWN' })
      const after = await get(ctx, id)
      ctx.audit({
        ...{ id, name: `${after.name} ${after.versionName}`, orgId: before.orgId },
        ...{ before: facts(shown(ctx, before)), after: facts(after) },
      })
      ctx.touch('releases')
      return after
    },
  }
}

const of = (code: Code) => ({ ...versionHandlers(code), ...rolloutHandlers(code) })
export const handlers: Handlers<typeof releases> = {
  ...under('apk', of('apk')),
  ...under('firmware', of('firmware')),
}
