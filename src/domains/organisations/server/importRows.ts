import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import type { ImportRow, RowError } from '../../../server/importers.ts'
import { rowsOf } from '../../../server/rows.ts'
import * as f from '../../../shared/fields.ts'
import { bi, filled } from '../../../shared/text.ts'
import { locale as accounts } from '../../accounts/locale.ts'
import { meant, namedByOneOf } from '../../accounts/server/named.ts'
import { belongsIn } from '../../roles/rules.ts'
import {
  type AssignableRole,
  assignableRoles,
  creatableKinds,
  userLimit,
} from '../../roles/server/assign.ts'
import { rolesNamed } from '../../roles/server/named.ts'
import {
  contactPhone,
  realName,
  servicePhone,
  street,
  userErrors,
  username,
} from '../../users/contract.ts'
import { missingHome, regionRule } from '../../users/rules.ts'
import type { Accounts } from '../../users/server/verbs.ts'
import { creditCode, organisationErrors } from '../contract.ts'
import { type Kind, mostOfTenant, newcomer, type Place, placeRule } from '../rules.ts'
import { newIds, tenantPart } from './placing.ts'
import { tenantSizes } from './queries.ts'

export const ImportedOrganisation = z.strictObject({
  parent: f.text(60, bi('请选择上级机构', 'Choose the parent organisation')),
  kind: f.text(20, bi('请选择机构类型', 'Choose the kind')),
  name: f.text(40, bi('机构名称不能为空', 'Enter the name of the organisation')),
  username,
  realName,
  roles: f.text(200, bi('请至少选择一个角色', 'Choose at least one role')),
  phone: contactPhone,
  consumerPhone: servicePhone,
  regionCode: z
    .string()
    .regex(/^\d{6}(\d{3})?$/, bi('请填写行政区划代码', 'Enter the code of the region'))
    .optional(),
  address: street,
  creditCode,
})
export type OrganisationRow = z.output<typeof ImportedOrganisation>

type Above = Place & { id: number; code: string; name: string; path: string; closed: boolean }
/** A row of the file that has found its place. */
export type Newcomer = {
  line: number
  id: number
  parentId: number
  path: string
  depth: number
  kind: Kind
  roleIds: number[]
  fields: Omit<OrganisationRow, 'parent' | 'kind' | 'roles' | 'regionCode'> & { regionCode: string }
}

const noKind = bi('机构类型不正确', 'There is no such kind')
const noRole = bi('角色不存在或无权分配', 'No such role, or not yours to give')

/** Kinds by the words of both languages and by their identifiers. */
const kinds = new Map(
  [accounts.zh, accounts.en]
    .flatMap(({ enums }) => Object.entries(enums.kind))
    .flatMap(([kind, word]) => [word, kind].map((name) => [name.toLowerCase(), kind])),
)

/**
 * The organisations the file names as parents; they stay where they are until the transaction ends.
 */
async function namedParents(ctx: Ctx, words: readonly string[]) {
  return rowsOf<Above>(ctx.db)`
    select o.id, o.code, o.name, o.path::text as path, o.kind, nlevel(o.path) as depth,
      organisation_agents(o.path) as agents,
      exists (select from organisations a
        where a.path @> o.path and a.status = 'DISABLED') as closed
    from organisations o where ${namedByOneOf(words)} and ${visible(ctx, 'o.id')}
    order by o.id for share of o`
}

const place = (parentId: number, name: string) => `${parentId} ${name}`

/**
 * Reads once what all rows name, so that a thousand of them cost a handful of statements; answers
 * for one row after the other.
 */
export async function resolver(
  ctx: Ctx,
  rows: readonly ImportRow<OrganisationRow>[],
  { taken }: Accounts,
) {
  const parents = await namedParents(ctx, [...new Set(rows.map(({ value }) => value.parent))])
  const names = rows.map(({ value }) => value.name)
  const parentIds = parents.map(({ id }) => id)
  const children = await rowsOf<{ parent_id: number; name: string }>(
    ctx.db,
  )`select parent_id, name from organisations
    where parent_id = any(${parentIds}::bigint[]) and name = any(${names}::text[])`
  const ids = await newIds(ctx, rows.length)
  const namedRoles = rolesNamed(await assignableRoles(ctx, parentIds))
  const mine = await creatableKinds(ctx)
  const limit = await userLimit(ctx)
  const tenants = [...new Set(parents.map(({ path }) => tenantPart(path)))]
  const sizes = new Map((await tenantSizes(ctx, tenants)).map(({ path, size }) => [path, size]))
  const held = new Set(children.map((row) => place(row.parent_id, row.name)))

  const sizeOf = (path: string): number => sizes.get(tenantPart(path)) ?? 0

  /** Why it cannot stand there. */
  const misplaced = (parent: Above, kind: Kind): [string, string] | null => {
    const wrong = placeRule(parent, newcomer(kind))
    if (wrong) return [wrong === organisationErrors.tooDeep ? 'parent' : 'kind', wrong.text]
    if (!mine.includes(kind)) return ['kind', organisationErrors.kindNotYours.text]
    if (sizeOf(parent.path) >= mostOfTenant)
      return ['parent', filled(organisationErrors.tenantFull.text, { most: mostOfTenant })]
    if (parent.closed) return ['parent', userErrors.orgClosed.text]
    return limit !== null && limit < 1
      ? ['parent', filled(userErrors.orgIsFull.text, { n: limit })]
      : null
  }

  return ({ line, value }: ImportRow<OrganisationRow>): Newcomer | { errors: RowError[] } => {
    const { parent: word, kind: kindWord, roles: roleWords, regionCode = '', ...fields } = value
    const errors: RowError[] = []
    const fault = (column: string, message: string) => errors.push({ line, column, text: message })
    const parent = meant(parents, word)
    const kind = kinds.get(kindWord.toLowerCase()) as Kind | undefined
    const above = typeof parent === 'string' ? null : parent.path.split('.').map(Number)
    const fits = (role: AssignableRole) =>
      above === null || belongsIn(role, { above, kind: kind ?? '' })
    const named = namedRoles(roleWords, fits)
    const given = typeof named === 'string' ? null : named
    if (typeof parent === 'string') fault('parent', parent)
    if (!kind) fault('kind', noKind)
    if (taken(value)) fault('username', userErrors.usernameTaken.text)
    if (typeof named === 'string') fault('roles', named)
    else if (!named.every(fits)) fault('roles', noRole)
    if (typeof parent !== 'string' && kind) {
      const wrong = misplaced(parent, kind)
      if (wrong) fault(...wrong)
      if (held.has(place(parent.id, value.name))) fault('name', organisationErrors.nameTaken.text)
    }
    const region = regionRule(given ?? [], regionCode)
    if (region) fault('regionCode', region.text)
    const home = kind && missingHome(given ?? [], kind)
    if (home)
      fault(
        'kind',
        filled(userErrors.wrongHome.text, {
          kind: bi(accounts.zh.enums.kind[home], accounts.en.enums.kind[home]),
        }),
      )
    const id = ids.shift()
    if (errors.length || typeof parent === 'string' || !kind || !given || id === undefined)
      return { errors }
    const path = `${parent.path}.${id}`
    const agents = parent.agents + newcomer(kind).agents
    const made: Above = {
      id,
      code: '',
      name: value.name,
      path,
      kind,
      depth: parent.depth + 1,
      agents,
      closed: parent.closed,
    }
    held.add(place(parent.id, value.name))
    parents.push(made)
    sizes.set(tenantPart(path), sizeOf(path) + 1)
    return {
      line,
      id,
      parentId: parent.id,
      path,
      depth: made.depth,
      kind,
      roleIds: given.map((role) => role.id),
      fields: { ...fields, regionCode },
    }
  }
}
