import { z } from 'zod'
import type { Ctx } from '../../../server/context.ts'
import type { ImportRow, RowError } from '../../../server/importers.ts'
import { rowsOf } from '../../../server/rows.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { regionPath, regionsNamed } from '../../../shared/regions.ts'
import { bi, filled } from '../../../shared/text.ts'
import { meant, type Named, organisationsNamed } from '../../accounts/server/named.ts'
import { belongsIn } from '../../roles/rules.ts'
import { type AssignableRole, assignableRoles, checkAssignable } from '../../roles/server/assign.ts'
import { rolesNamed } from '../../roles/server/named.ts'
import { contactPhone, realName, servicePhone, street, userErrors, username } from '../contract.ts'
import { checkRoles, openHome } from './people.ts'
import type { Accounts } from './verbs.ts'

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
export type Newcomer = Omit<UserRow, 'roles' | 'org' | 'department' | 'region'> & {
  line: number
  orgId: number
  departmentId: number | null
  regionCode: string
  roleIds: number[]
}

const text = {
  noDepartment: bi('该机构没有此部门', 'The organisation has no such department'),
  manyDepartments: bi('该机构有多个同名部门', 'Several departments have this name'),
  noRegion: bi('区域不正确', 'No such region'),
}

/** Reads once what all rows name, so that a thousand of them cost a handful of statements. */
export async function resolver(ctx: Ctx, all: readonly ImportRow<UserRow>[]) {
  const orgs = await organisationsNamed(ctx, [...new Set(all.map(({ value }) => value.org))])
  const orgIds = orgs.map((org) => org.id)
  const departments = await rowsOf<{ id: number; orgId: number; name: string }>(ctx.db)`
    select id, org_id as "orgId", name from departments where org_id = any(${orgIds}::bigint[])`
  const namedRoles = rolesNamed(await assignableRoles(ctx, orgIds))

  const departmentOf = (org: Named, word: string | undefined): number | null | string => {
    if (!word) return null
    const [first, second] = departments.filter(
      (department) => department.orgId === org.id && department.name === word,
    )
    return second ? text.manyDepartments : (first?.id ?? text.noDepartment)
  }
  /** The same roles in the same place are asked about once. */
  const checked = new Map<string, Promise<RowFault | null>>()
  const whyNot = (
    given: readonly AssignableRole[],
    org: Named,
    regionCode: string,
  ): Promise<RowFault | null> => {
    const ids = given.map((role) => role.id)
    const key = JSON.stringify([ids, org.id, regionCode])
    const asked = async () => {
      await checkAssignable(ctx, ids, org.id)
      checkRoles(ctx, given, org.kind, regionCode)
    }
    const known = checked.get(key) ?? faultOf(asked)
    checked.set(key, known)
    return known
  }

  async function row({ line, value }: ImportRow<UserRow>): Promise<Newcomer | RowFault[]> {
    const { org: orgWord, roles: roleWords, department, region, ...fields } = value
    const faults: RowFault[] = []
    const org = meant(orgs, orgWord)
    const home =
      typeof org === 'string' ? null : { above: org.path.split('.').map(Number), kind: org.kind }
    const given = namedRoles(roleWords, (role) => home === null || belongsIn(role, home))
    const regionCode = regionOf(region)
    if (typeof given === 'string') faults.push({ column: 'roles', text: given })
    if (regionCode === null) faults.push({ column: 'region', text: text.noRegion })
    if (typeof org === 'string') faults.push({ column: 'org', text: org })
    if (typeof org === 'string' || typeof given === 'string' || regionCode === null) return faults
    const departmentId = departmentOf(org, department)
    if (typeof departmentId === 'string') faults.push({ column: 'department', text: departmentId })
    const wrong = await whyNot(given, org, regionCode)
    if (wrong) faults.push(wrong)
    if (faults.length || typeof departmentId === 'string') return faults
    return {
      ...fields,
      line,
      orgId: org.id,
      departmentId,
      regionCode,
      roleIds: given.map((role) => role.id),
    }
  }

  return {
    async rows(accounts: Accounts): Promise<{ errors: RowError[]; newcomers: Newcomer[] }> {
      const errors: RowError[] = []
      const newcomers: Newcomer[] = []
      for (const one of all) {
        if (accounts.taken(one.value))
          errors.push({ line: one.line, column: 'username', text: userErrors.usernameTaken.text })
        const found = await row(one)
        if (Array.isArray(found))
          errors.push(...found.map((fault) => ({ line: one.line, ...fault })))
        else newcomers.push(found)
      }
      return { errors, newcomers }
    },
    /** Whether every organisation takes as many as the file brings. */
    async room(): Promise<RowError[]> {
      const errors: RowError[] = []
      for (const [word, of] of Map.groupBy(all, ({ value }) => value.org)) {
        const org = meant(orgs, word)
        const wrong =
          typeof org === 'string' ? null : await faultOf(() => openHome(ctx, org.id, of.length))
        if (wrong) errors.push({ line: of[0]?.line ?? 2, column: 'org', text: wrong.text })
      }
      return errors
    },
  }
}

type RowFault = { column: string; text: string }
const columns: Readonly<Record<string, string>> = { regionCode: 'region', orgId: 'org' }
/** What is refused, at the column that it is about; null when nothing is. */
async function faultOf(work: () => Promise<unknown>): Promise<RowFault | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { def, values, fields } = error
    return {
      column: columns[fields[0]?.field ?? ''] ?? 'roles',
      text: filled(def.text, values),
    }
  }
}

/**
 * A code, or names from the province down, separated by spaces or slashes; '' for none, null for
 * nonsense.
 */
function regionOf(word: string | undefined): string | null {
  if (!word) return ''
  if (/^\d+$/.test(word)) return regionPath(word).length ? word : null
  const names = word.split(/[\s/]+/)
  const found = regionsNamed(names)
  return found.length === names.length ? (found.at(-1)?.code ?? null) : null
}
