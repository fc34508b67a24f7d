import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { defineImporter, type ImportRow, type RowError } from '../../../server/importers.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { userErrors } from '../contract.ts'
import { type FirstPasswords, firstHash, firstPasswords, passwordFile } from './firstPasswords.ts'
import { ImportedUser, type Newcomer, resolver, type UserRow } from './importRows.ts'
import { passwordSettings } from './passwords.ts'

type Ready = { first: FirstPasswords; taken: ReadonlySet<string> }

/** Names are unique across tenants, so whether they are free is asked outside the actor's rows. */
async function takenNames(app: App, rows: readonly ImportRow<Partial<UserRow>>[]): Promise<Set<string>> {
  const names = rows.flatMap(({ value }) => value.username?.toLowerCase() ?? [])
  const found = await app.database.read(systemScope, (db) =>
    db
      .selectFrom('users')
      .select('username')
      .where((eb) => eb(eb.fn<string>('lower', ['username']), '=', sql<string>`any(${names}::text[])`))
      .execute(),
  )
  return new Set(found.map((user) => user.username.toLowerCase()))
}

async function run(ctx: Ctx, rows: readonly ImportRow<UserRow>[], ready: Ready): Promise<readonly RowError[]> {
  const resolve = await resolver(ctx, rows)
  const errors: RowError[] = []
  const newcomers: Newcomer[] = []
  for (const row of rows) {
    const taken = ready.taken.has(row.value.username.toLowerCase())
    if (taken) errors.push({ line: row.line, column: 'username', text: userErrors.usernameTaken.text })
    const found = await resolve.row(row)
    if ('errors' in found) errors.push(...found.errors)
    else if (!taken) newcomers.push(found)
  }
  errors.push(...(await resolve.room(rows)))
  if (errors.length) return errors
  await insertAll(ctx, newcomers, ready.first)
  return []
}

/** Of a row with faults of form: whether its name is free, and whether its words mean something. */
async function halves(ctx: Ctx, rows: readonly ImportRow<Partial<UserRow>>[], ready: Ready): Promise<readonly RowError[]> {
  const filled = rows.map(({ line, value }) => ({ line, value: { org: '', roles: '', ...value } as UserRow }))
  const resolve = await resolver(ctx, filled)
  const errors: RowError[] = []
  for (const row of filled) {
    if (ready.taken.has(row.value.username?.toLowerCase())) errors.push({ line: row.line, column: 'username', text: userErrors.usernameTaken.text })
    const found = await resolve.row(row)
    if ('errors' in found) errors.push(...found.errors)
  }
  return errors
}

/** Two statements for the whole file; a thousand single inserts would each wake every cache of rights. */
async function insertAll(ctx: Ctx, newcomers: readonly Newcomer[], first: FirstPasswords): Promise<void> {
  const values = newcomers.map(({ line, row, orgId, departmentId, regionCode }) => ({
    org_id: orgId,
    username: row.username,
    password_hash: firstHash(first, line),
    real_name: row.realName,
    phone: row.phone,
    consumer_phone: row.consumerPhone,
    address: row.address,
    region_code: regionCode,
    department_id: departmentId,
    must_change_password: true,
    password_changed_at: ctx.now,
    created_at: ctx.now,
  }))
  const made = await ctx.db
    .insertInto('users')
    .values(values)
    .returning(['id', 'username'])
    .execute()
    .catch((error: unknown) => {
      throw (error as { constraint?: string }).constraint === 'users_username' ? new Refusal(userErrors.usernameTaken) : error
    })
  const ids = new Map(made.map((user) => [user.username, user.id]))
  const roles = newcomers.flatMap(({ row, orgId, roleIds }) =>
    roleIds.map((roleId) => ({
      user_id: ids.get(row.username) as number,
      role_id: roleId,
      org_id: orgId,
      granted_by: ctx.actor.userId,
      created_at: ctx.now,
    })),
  )
  await ctx.db.insertInto('user_roles').values(roles).execute()
  ctx.audit(
    ...newcomers.map(({ row: { roles: _, org: __, department: ___, region: ____, ...row }, orgId, ...place }) => ({
      action: 'users.create',
      id: ids.get(row.username) as number,
      name: row.username,
      after: { ...row, orgId, departmentId: place.departmentId, regionCode: place.regionCode, roleIds: place.roleIds },
      orgId,
    })),
  )
}

export const userImporter = defineImporter<typeof ImportedUser, Ready>({
  kind: 'users',
  title: bi('组织用户', 'Organisation users'),
  permission: 'user:create',
  fresh: true,
  columns: [
    {
      key: 'username',
      title: bi('用户名', 'Username'),
      required: true,
      example: 'zhangsan',
      note: bi('4-32位字母、数字或 _ - .', 'Four to 32 letters, digits or _ - .'),
    },
    { key: 'realName', title: bi('真实姓名', 'Real name'), required: true, example: bi('张三', 'Zhang San') },
    {
      key: 'roles',
      title: bi('角色', 'Roles'),
      required: true,
      example: bi('补货员', 'Replenisher'),
      note: bi('角色名称或标识，多个用顿号或逗号分隔', 'Names or identifiers, separated by commas'),
    },
    {
      key: 'org',
      title: bi('机构', 'Organisation'),
      required: true,
      example: 'ORG000003',
      note: bi('机构编号或名称', 'Code or name of the organisation'),
    },
    { key: 'department', title: bi('部门', 'Department'), note: bi('该机构下已有的部门名称', 'A department of that organisation') },
    { key: 'phone', title: bi('联系电话', 'Contact phone'), required: true, example: '13800138000' },
    { key: 'consumerPhone', title: bi('客服电话', 'Service phone'), required: true, example: '400-800-1234' },
    { key: 'address', title: bi('街道地址', 'Street address'), required: true, example: bi('科苑路15号', 'Keyuan Road 15') },
    {
      key: 'region',
      title: bi('区域', 'Region'),
      example: bi('广东省 深圳市 南山区', '440305'),
      note: bi('名称或行政区划代码；药监人员必填', 'Names or code; required for drug regulators'),
    },
  ],
  row: ImportedUser,
  unique: ['username'],
  touches: 'users',
  // One password each, at random, so that quick hashes are as good as slow ones. Everybody must change it at the first sign-in.
  prepare: async (app, rows, all) => {
    const minLength = (await passwordSettings(app))['password.minLength']
    const lines = rows.map(({ line }) => line)
    const [first, taken] = await Promise.all([firstPasswords(lines, minLength), takenNames(app, all)])
    return { first, taken }
  },
  once: ({ first }, rows) => passwordFile(first, rows),
  halves,
  run,
})
