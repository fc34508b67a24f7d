import type { Ctx } from '../../../server/context.ts'
import { defineImporter, type ImportRow, type RowError } from '../../../server/importers.ts'
import { bi } from '../../../shared/text.ts'
import { firstHash, passwordFile } from './firstPasswords.ts'
import { ImportedUser, type Newcomer, resolver, type UserRow } from './importRows.ts'
import { type Accounts, accountsOf, insertUsers } from './verbs.ts'

async function run(
  ctx: Ctx,
  rows: readonly ImportRow<UserRow>[],
  accounts: Accounts,
): Promise<readonly RowError[]> {
  const resolve = await resolver(ctx, rows)
  const { errors, newcomers } = await resolve.rows(accounts)
  errors.push(...(await resolve.room()))
  if (!errors.length) await insertAll(ctx, newcomers, accounts)
  return errors
}

/** Of a row with faults of form: whether its name is free, and whether its words mean something. */
async function halves(
  ctx: Ctx,
  rows: readonly ImportRow<Partial<UserRow>>[],
  accounts: Accounts,
): Promise<readonly RowError[]> {
  const filled = rows.map(({ line, value }) => ({
    line,
    value: { org: '', roles: '', ...value } as UserRow,
  }))
  return (await (await resolver(ctx, filled)).rows(accounts)).errors
}

async function insertAll(
  ctx: Ctx,
  newcomers: readonly Newcomer[],
  { first }: Accounts,
): Promise<void> {
  const made = { avatar: '', isPrincipal: false, mustChangePassword: true }
  const ids = await insertUsers(
    ctx,
    newcomers.map(({ line, ...user }) => ({
      ...user,
      ...made,
      passwordHash: firstHash(first, line),
    })),
  )
  ctx.audit(
    ...newcomers.map(({ line: _, ...after }) => ({
      action: 'users.create',
      id: ids.get(after.username) as number,
      name: after.username,
      after,
      orgId: after.orgId,
    })),
  )
}

export const userImporter = defineImporter<typeof ImportedUser, Accounts>({
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
    {
      key: 'realName',
      title: bi('真实姓名', 'Real name'),
      required: true,
      example: bi('张三', 'Zhang San'),
    },
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
    {
      key: 'department',
      title: bi('部门', 'Department'),
      note: bi('该机构下已有的部门名称', 'A department of that organisation'),
    },
    {
      key: 'phone',
      title: bi('联系电话', 'Contact phone'),
      required: true,
      example: '13800138000',
    },
    {
      key: 'consumerPhone',
      title: bi('客服电话', 'Service phone'),
      required: true,
      example: '400-800-1234',
    },
    {
      key: 'address',
      title: bi('街道地址', 'Street address'),
      required: true,
      example: bi('科苑路15号', 'Keyuan Road 15'),
    },
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
  prepare: accountsOf,
  once: ({ first }, rows) => passwordFile(first, rows),
  halves,
  run,
})
