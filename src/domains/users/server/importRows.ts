import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../../../server/context.ts'
import type { ImportRow, RowError } from '../../../server/importers.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { regionPath, regionsNamed } from '../../../shared/regions.ts'
import { bi, say } from '../../../shared/text.ts'
import { meant, type Named, organisationsNamed } from '../../organisations/server/named.ts'
import { belongsIn } from '../../roles/rules.ts'
import { type AssignableRole, assignableRoles, checkAssignable } from '../../roles/server/assign.ts'
import { rolesNamed } from '../../roles/server/named.ts'
import { contactPhone, realName, servicePhone, street, username } from '../contract.ts'
import { checkRoles, openHome } from './home.ts'

const chooseRole = bi('请至少选择一个角色', 'Choose at least one role')
const chooseOrg = bi('请选择运营商', 'Choose the operator')
export const ImportedUser = z.strictObject({
  username,
  realName,
  roles: f.text(200, chooseRole),
  org: f.text(60, chooseOrg),
  department: z.string().max(30).optional(),
  phone: contactPhone,
  consumerPhone: servicePhone,
  address: street,
  region: z.string().max(60).optional(),
})
export type UserRow = z.infer<typeof ImportedUser>

/** A row of the file with its words turned into rows of the database. */
export type Newcomer = { line: number; row: UserRow; orgId: number; departmentId: number | null; regionCode: string; roleIds: number[] }
type Resolver = {
  row(row: ImportRow<UserRow>): Promise<Newcomer | { errors: RowError[] }>
  /** Whether every organisation takes as many as the file brings. */
  room(rows: readonly ImportRow<UserRow>[]): Promise<RowError[]>
}

const text = {
  noDepartment: bi('该机构没有此部门', 'The organisation has no such department'),
  manyDepartments: bi('该机构有多个同名部门', 'Several departments have this name'),
  noRegion: bi('区域不正确', 'No such region'),
}

/** Reads once what all rows name, so that a thousand of them cost a handful of statements. */
export async function resolver(ctx: Ctx, rows: readonly ImportRow<UserRow>[]): Promise<Resolver> {
  const orgs = await organisationsNamed(ctx, [...new Set(rows.map(({ value }) => value.org))])
  const { rows: departments } = await sql<{ id: number; org_id: number; name: string }>`
    select id, org_id, name from departments where org_id = any(${orgs.map((org) => org.id)}::bigint[])`.execute(ctx.db)
  const roles = await assignableRoles(
    ctx,
    orgs.map((org) => org.id),
  )
  const checked = new Map<string, Refusal | null>()

  const departmentOf = (org: Named, word: string | undefined): number | null | string => {
    if (!word) return null
    const named = departments.filter((department) => department.org_id === org.id && department.name === word)
    return named.length > 1 ? text.manyDepartments : (named[0]?.id ?? text.noDepartment)
  }
  /** The same roles in the same place are asked about once. */
  const mayGive = async (given: readonly AssignableRole[], org: Named, regionCode: string): Promise<Refusal | null> => {
    const key = JSON.stringify([given.map((role) => role.id), org.id, regionCode])
    const known = checked.get(key)
    if (known !== undefined) return known
    const refusal = await checkAssignable(
      ctx,
      given.map((role) => role.id),
      org.id,
    )
      .then(() => checkRoles(ctx, given, org.kind, regionCode))
      .then(() => null)
      .catch((error: unknown) => {
        if (error instanceof Refusal) return error
        throw error
      })
    checked.set(key, refusal)
    return refusal
  }

  return {
    async row({ line, value }) {
      const errors: RowError[] = []
      const fault = (column: string, message: string) => errors.push({ line, column, text: message })
      const org = meant(orgs, value.org)
      const home = typeof org === 'string' ? null : { above: org.path.split('.').map(Number), kind: org.kind }
      const given = rolesNamed(roles, value.roles, (role) => home === null || belongsIn(role, home))
      if (typeof given === 'string') fault('roles', given)
      const regionCode = regionOf(value.region)
      if (regionCode === null) fault('region', text.noRegion)
      if (typeof org === 'string') fault('org', org)
      if (typeof org === 'string' || typeof given === 'string' || regionCode === null) return { errors }
      const departmentId = departmentOf(org, value.department)
      if (typeof departmentId === 'string') fault('department', departmentId)
      const refusal = await mayGive(given, org, regionCode)
      if (refusal) fault(columnOf(refusal), filled(refusal))
      if (errors.length || typeof departmentId === 'string') return { errors }
      return { line, row: value, orgId: org.id, departmentId, regionCode, roleIds: given.map((role) => role.id) }
    },
    async room(all) {
      const errors: RowError[] = []
      for (const [word, of] of Map.groupBy(all, ({ value }) => value.org)) {
        const org = meant(orgs, word)
        if (typeof org === 'string') continue
        try {
          await openHome(ctx, org.id, of.length)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          errors.push({ line: of[0]?.line ?? 2, column: 'org', text: filled(error) })
        }
      }
      return errors
    },
  }
}

const columns: Readonly<Record<string, string>> = { regionCode: 'region', orgId: 'org', roleIds: 'roles' }
const columnOf = (refusal: Refusal): string => columns[refusal.fields[0]?.field ?? ''] ?? 'roles'
const filled = ({ def, values }: Refusal): string => bi(say(def.text, 'zh-CN', values), say(def.text, 'en', values))

/** A code, or names from the province down, separated by spaces or slashes; '' for none, null for nonsense. */
function regionOf(word: string | undefined): string | null {
  if (!word) return ''
  if (/^\d+$/.test(word)) return regionPath(word).length ? word : null
  const names = word.split(/[\s/]+/)
  const found = regionsNamed(names)
  return found.length === names.length ? (found.at(-1)?.code ?? null) : null
}
