import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { defineImporter, type ImportRow, type RowError } from '../../../server/importers.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { locale as accounts } from '../../accounts/locale.ts'
import { platformOrg, settingOf } from '../../settings/server/values.ts'
import { userErrors } from '../../users/contract.ts'
import { type FirstPasswords, firstHash, firstPasswords, passwordFile } from '../../users/server/firstPasswords.ts'
import { columnsOf, joined } from './adding.ts'
import { ImportedOrganisation, type Newcomer, type OrganisationRow, resolver } from './importRows.ts'
import { unique } from './placing.ts'

type Ready = { first: FirstPasswords; taken: ReadonlySet<string> }

/** Names are unique across tenants, so whether they are free is asked outside the actor's rows. */
async function takenNames(app: App, rows: readonly ImportRow<OrganisationRow>[]): Promise<Set<string>> {
  const names = rows.map(({ value }) => value.username.toLowerCase())
  const { rows: found } = await app.database.read(systemScope, (db) =>
    sql<{ name: string }>`select lower(username) as name from users where lower(username) = any(${names}::text[])`.execute(db),
  )
  return new Set(found.map((user) => user.name))
}

async function run(ctx: Ctx, rows: readonly ImportRow<OrganisationRow>[], ready: Ready): Promise<readonly RowError[]> {
  const resolve = await resolver(ctx, rows, ready.taken)
  const errors: RowError[] = []
  const newcomers: Newcomer[] = []
  for (const row of rows) {
    const found = resolve(row)
    if ('errors' in found) errors.push(...found.errors)
    else newcomers.push(found)
  }
  if (!errors.length) await insertAll(ctx, newcomers, ready.first)
  return errors
}

/** A few statements for the whole file; a thousand single inserts would each wake every cache of rights, and hold it for half a minute. */
async function insertAll(ctx: Ctx, newcomers: readonly Newcomer[], first: FirstPasswords): Promise<void> {
  await joined(
    ctx,
    newcomers.map(({ id }) => id),
  )
  // parents before children
  for (const [, level] of [...Map.groupBy(newcomers, ({ depth }) => depth)].sort(([a], [b]) => a - b)) {
    const values = level.map(({ id, parentId, path, kind, fields }) => ({
      id,
      parent_id: parentId,
      path,
      kind,
      created_at: ctx.now,
      updated_at: ctx.now,
      ...columnsOf({ ...fields, avatar: '', licences: [], lng: null, lat: null }),
    }))
    await unique(ctx.db.insertInto('organisations').values(values).execute())
  }
  const people = newcomers.map(({ id, line, fields }) => ({
    org_id: id,
    username: fields.username,
    password_hash: firstHash(first, line),
    real_name: fields.realName,
    phone: fields.phone,
    consumer_phone: fields.consumerPhone,
    address: fields.address,
    region_code: fields.regionCode,
    is_principal: true,
    must_change_password: true,
    password_changed_at: ctx.now,
    created_at: ctx.now,
  }))
  const made = await ctx.db
    .insertInto('users')
    .values(people)
    .returning(['id', 'org_id'])
    .execute()
    .catch((error: unknown) => {
      throw (error as { constraint?: string }).constraint === 'users_username' ? new Refusal(userErrors.usernameTaken) : error
    })
  const principals = new Map(made.map((user) => [user.org_id, user.id]))
  const held = newcomers.flatMap(({ id, roleIds }) =>
    roleIds.map((roleId) => ({ user_id: principals.get(id) as number, role_id: roleId, org_id: id, granted_by: ctx.actor.userId, created_at: ctx.now })),
  )
  await ctx.db.insertInto('user_roles').values(held).execute()
  ctx.audit(
    ...newcomers.map(({ id, parentId, kind, roleIds, fields }) => ({
      action: 'organisations.create',
      id,
      name: fields.name,
      after: { ...fields, parentId, kind, roleIds, principalId: principals.get(id) },
      orgId: id,
    })),
  )
  ctx.touch('users')
}

export const organisationImporter = defineImporter<typeof ImportedOrganisation, Ready>({
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
      note: bi('机构编号或名称,可以是本文件前面的机构', 'Code or name; organisations of earlier rows count'),
    },
    {
      key: 'kind',
      title: bi('机构类型', 'Kind'),
      required: true,
      example: bi('运营商', 'Operator'),
      note: bi(Object.values(accounts.zh.enums.kind).slice(1).join('、'), Object.values(accounts.en.enums.kind).slice(1).join(', ')),
    },
    { key: 'name', title: bi('机构名称', 'Name'), required: true, example: bi('城南便民', 'South shop') },
    {
      key: 'username',
      title: bi('用户名', 'Username'),
      required: true,
      example: 'chengnan',
      note: bi('主账号,4-32位字母、数字或 _ - .', 'Principal account, four to 32 letters, digits or _ - .'),
    },
    { key: 'realName', title: bi('真实姓名', 'Real name'), required: true, example: bi('张三', 'Zhang San') },
    { key: 'roles', title: bi('角色', 'Roles'), required: true, example: bi('运营商', 'Operator'), note: bi('多个用顿号或逗号分隔', 'Separated by commas') },
    { key: 'phone', title: bi('联系电话', 'Contact phone'), required: true, example: '13800138000' },
    { key: 'consumerPhone', title: bi('客服电话', 'Service phone'), required: true, example: '400-800-1234' },
    { key: 'regionCode', title: bi('区域', 'Region'), example: '440305', note: bi('行政区划代码', 'Code of the region') },
    { key: 'address', title: bi('街道地址', 'Street address'), required: true, example: bi('科苑路15号', 'Keyuan Road 15') },
    { key: 'creditCode', title: bi('统一社会信用代码', 'Credit code'), example: '' },
  ],
  row: ImportedOrganisation,
  unique: ['username'],
  touches: 'organisations',
  // one password each, at random, so that quick hashes are as good as slow ones; it changes at the first sign-in
  prepare: async (app, rows) => {
    const minLength = await app.database.read(systemScope, (db) => settingOf(db, platformOrg, 'password.minLength'))
    const lines = rows.map(({ line }) => line)
    const [first, taken] = await Promise.all([firstPasswords(lines, minLength), takenNames(app, rows)])
    return { first, taken }
  },
  once: ({ first }, rows) => passwordFile(first, rows),
  run,
})
