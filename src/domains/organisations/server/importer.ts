import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { defineImporter, eachRow, type ImportRow, type RowError } from '../../../server/importers.ts'
import { hashPassword } from '../../../server/passwords.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { locale as accounts } from '../../accounts/locale.ts'
import { type AssignableRole, assignableRoles } from '../../roles/server/assign.ts'
import { contactPhone, realName, servicePhone, street, username } from '../../users/contract.ts'
import { creditCode } from '../contract.ts'
import type { Kind } from '../rules.ts'
import { addOrganisation } from './adding.ts'

const Row = z.strictObject({
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
type Row = z.output<typeof Row>
type Ready = { password: string; hash: string }

const text = {
  noParent: bi('机构不存在', 'There is no such organisation'),
  manyParents: bi('有多个同名机构,请填写机构编号', 'Several organisations have this name; use the code'),
  noKind: bi('机构类型不正确', 'There is no such kind'),
  noRole: bi('角色不存在或无权分配', 'No such role, or not yours to give'),
}
const fault = (field: keyof Row, message: string) => new Refusal(common.invalid, {}, [{ field, text: message }])

/** Kinds by the words of both languages and by their identifiers. */
const kinds = new Map(
  (['zh', 'en'] as const).flatMap((lang) =>
    Object.entries(accounts[lang].enums.kind).flatMap(
      ([kind, word]) =>
        [
          [word.toLowerCase(), kind],
          [kind.toLowerCase(), kind],
        ] as const,
    ),
  ),
)

/** By code or name; organisations of earlier rows of the same file count. */
async function parentOf(ctx: Ctx, word: string): Promise<number> {
  const { rows } = await sql<{ id: number; coded: boolean }>`select id, code = upper(${word}) as coded from organisations
    where (code = upper(${word}) or name = ${word}) and ${visible(ctx, 'id')} order by coded desc limit 2`.execute(ctx.db)
  const [first, second] = rows
  if (!first) throw fault('parent', text.noParent)
  if (second && !first.coded) throw fault('parent', text.manyParents)
  return first.id
}

function rolesOf(all: readonly AssignableRole[], words: string): number[] {
  const wanted = words
    .split(/[、,，;；]/)
    .map((word) => word.trim())
    .filter(Boolean)
  return wanted.map((word) => {
    const role = all.find((one) => [one.code, one.name, one.name_en].some((name) => name.toLowerCase() === word.toLowerCase()))
    if (!role) throw fault('roles', text.noRole)
    return role.id
  })
}

async function run(ctx: Ctx, rows: readonly ImportRow<Row>[], { hash }: Ready): Promise<readonly RowError[]> {
  const roles = await assignableRoles(ctx)
  let scope = ctx.actor.scope
  const errors = await eachRow(ctx, rows, async (quiet, row) => {
    const here: Ctx = { ...quiet, actor: { ...quiet.actor, scope } }
    const kind = kinds.get(row.kind.toLowerCase())
    if (!kind) throw fault('kind', text.noKind)
    const { parent, roles: words, kind: _, regionCode, ...fields } = row
    const made = await addOrganisation(
      here,
      {
        ...fields,
        kind: kind as Kind,
        parentId: await parentOf(here, parent),
        roleIds: rolesOf(roles, words),
        regionCode: regionCode ?? '',
        avatar: '',
        licences: [],
        lng: null,
        lat: null,
      },
      hash,
    )
    if (!scope.all) scope = { ...scope, orgs: [...scope.orgs, made] }
  })
  return errors.map((error) =>
    error.column === 'parentId' ? { ...error, column: 'parent' } : error.column === 'roleIds' ? { ...error, column: 'roles' } : error,
  )
}

export const organisationImporter = defineImporter<typeof Row, Ready>({
  kind: 'organisations',
  title: bi('机构', 'Organisations'),
  permission: 'org:create',
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
  row: Row,
  unique: ['username'],
  touches: 'organisations',
  // one password for the file: a thousand hashes would take half a minute; it changes at the first sign-in
  prepare: async () => {
    const password = `Hd${randomBytes(9).toString('base64url')}7`
    return { password, hash: await hashPassword(password) }
  },
  once: ({ password }) => ({
    label: bi('初始密码(只显示这一次,首次登录须修改)', 'First password (shown this once, to be changed at the first sign-in)'),
    text: password,
  }),
  run,
})
