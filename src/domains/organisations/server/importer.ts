import type { Ctx } from '../../../server/context.ts'
import { defineImporter, type ImportRow, type RowError } from '../../../server/importers.ts'
import { columns } from '../../../server/shapes.ts'
import { bi } from '../../../shared/text.ts'
import { locale as accounts } from '../../accounts/locale.ts'
import { firstHash, passwordFile } from '../../users/server/firstPasswords.ts'
import { type Accounts, accountsOf, insertUsers } from '../../users/server/verbs.ts'
import {
  ImportedOrganisation,
  type Newcomer,
  type OrganisationRow,
  resolver,
} from './importRows.ts'
import { joined, unique, written } from './placing.ts'

async function run(
  ctx: Ctx,
  rows: readonly ImportRow<OrganisationRow>[],
  accounts: Accounts,
): Promise<readonly RowError[]> {
  const resolve = await resolver(ctx, rows, accounts)
  const found = rows.map(resolve)
  const errors = found.flatMap((row) => ('errors' in row ? row.errors : []))
  if (!errors.length) await insertAll(ctx, found as Newcomer[], accounts)
  return errors
}

/**
 * A few statements for the whole file; a thousand single inserts would each wake every cache of
 * rights, and hold it for half a minute.
 */
async function insertAll(
  ctx: Ctx,
  newcomers: readonly Newcomer[],
  { first }: Accounts,
): Promise<void> {
  const ids = newcomers.map(({ id }) => id)
  await joined(ctx, ids)
  // parents before children
  for (const [, level] of [...Map.groupBy(newcomers, ({ depth }) => depth)].sort(
    ([a], [b]) => a - b,
  )) {
    const values = level.map(({ id, parentId, path, kind, fields }) => ({
      ...written({ ...fields, licences: [], lng: null, lat: null }),
      ...columns('organisations', {
        id,
        parentId,
        path,
        kind,
        createdAt: ctx.now,
        updatedAt: ctx.now,
      }),
    }))
    await unique(ctx.db.insertInto('organisations').values(values).execute())
  }
  const made = { avatar: '', departmentId: null, isPrincipal: true, mustChangePassword: true }
  const principals = await insertUsers(
    ctx,
    newcomers.map(({ id, line, roleIds, fields: { name: _, creditCode: __, ...person } }) => ({
      ...person,
      ...made,
      orgId: id,
      roleIds,
      passwordHash: firstHash(first, line),
    })),
  )
  ctx.audit(
    ...newcomers.map(({ id, parentId, kind, roleIds, fields }) => ({
      action: 'organisations.create',
      id,
      name: fields.name,
      after: { ...fields, parentId, kind, roleIds, principalId: principals.get(fields.username) },
      orgId: id,
    })),
  )
}

export const organisationImporter = defineImporter<typeof ImportedOrganisation, Accounts>({
  kind: 'organisations',
  title: bi('机构', 'Organisations'),
  permission: 'org:create',
  fresh: true,
  columns: [
    {
      key: 'parent',
      title: bi('上级机构', 'Parent'),
      required: true,
      example: 'ORG000002',
      note: bi(
        '机构编号或名称，可以是本文件前面的机构',
        'Code or name; organisations of earlier rows count',
      ),
    },
    {
      key: 'kind',
      title: bi('机构类型', 'Kind'),
      required: true,
      example: bi('运营商', 'Operator'),
      note: bi(
        Object.values(accounts.zh.enums.kind).slice(1).join('、'),
        Object.values(accounts.en.enums.kind).slice(1).join(', '),
      ),
    },
    {
      key: 'name',
      title: bi('机构名称', 'Name'),
      required: true,
      example: bi('城南便民', 'South shop'),
    },
    {
      key: 'username',
      title: bi('用户名', 'Username'),
      required: true,
      example: 'chengnan',
      note: bi(
        '主账号，4-32位字母、数字或 _ - .',
        'Principal account, four to 32 letters, digits or _ - .',
      ),
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
      example: bi('运营商', 'Operator'),
      note: bi('多个用顿号或逗号分隔', 'Separated by commas'),
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
      key: 'regionCode',
      title: bi('区域', 'Region'),
      example: '440305',
      note: bi('行政区划代码', 'Code of the region'),
    },
    {
      key: 'address',
      title: bi('街道地址', 'Street address'),
      required: true,
      example: bi('科苑路15号', 'Keyuan Road 15'),
    },
    { key: 'creditCode', title: bi('统一社会信用代码', 'Credit code'), example: '' },
  ],
  row: ImportedOrganisation,
  unique: ['username'],
  touches: 'organisations',
  prepare: accountsOf,
  once: ({ first }, rows) => passwordFile(first, rows),
  run,
})
