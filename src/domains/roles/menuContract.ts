import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { menuErrors as errors } from './rules.ts'

const wrongSort = bi('排序须为0-9999', 'From 0 to 9999')
export const MenuStatus = z
  .enum(['ENABLED', 'DISABLED'])
  .meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })

const fields = {
  parentId: f.id.nullable(),
  name: z
    .string({ error: bi('菜单名称不能为空', 'Enter a menu name') })
    .trim()
    .min(1, bi('菜单名称不能为空', 'Enter a menu name'))
    .regex(
      /^[A-Za-z][\w-]{1,49}$/,
      bi(
        '菜单名称须以字母开头，2-50个字母、数字、_或-',
        'A letter, then letters, digits, _ or -; 2 to 50',
      ),
    ),
  title: f.text(20, bi('标题不能为空', 'Enter a title')),
  titleEn: f.text(40, bi('英文标题不能为空', 'Enter an English title')),
  sort: z
    .number({
      error: (issue) =>
        issue.input === undefined || issue.input === null || issue.input === ''
          ? bi('排序不能为空', 'Enter a sort number')
          : wrongSort,
    })
    .int(wrongSort)
    .min(0, wrongSort)
    .max(9999, wrongSort),
  /** A page's route. A group has none: `/name` is made for it. */
  path: z.string().trim().max(100).default(''),
  icon: z
    .string()
    .regex(/^[a-z]{0,30}$/)
    .default(''),
  permission: z.string().max(80).nullable(),
  hidden: z.boolean(),
}

export const MenuItem = z.strictObject({
  id: f.id,
  parentId: f.id.nullable(),
  kind: z.enum(['GROUP', 'PAGE']),
  name: z.string(),
  title: z.string(),
  titleEn: z.string(),
  path: z.string(),
  icon: z.string(),
  sort: z.number().int(),
  permission: z.string().nullable(),
  hidden: z.boolean(),
  status: MenuStatus,
  builtin: z.boolean(),
  /** False while its page is not built yet: nobody gets it. */
  known: z.boolean(),
  roles: z.array(z.strictObject({ id: f.id, name: z.string(), nameEn: z.string() })),
  version: f.version,
  can: z.strictObject({ update: z.boolean(), stop: z.boolean(), delete: z.boolean() }),
})
export type MenuItem = z.infer<typeof MenuItem>

const formErrors = [
  errors.nameTaken,
  errors.pathTaken,
  errors.pathUnknown,
  errors.codeUnknown,
  errors.pageNeedsCode,
  errors.tooDeep,
]

export const menus = {
  tree: read('menu:read', {
    path: '/menus/tree',
    summary: 'Every menu, parents before children',
    output: z.strictObject({
      list: z.array(MenuItem),
      /** Pages of the app without a menu. */
      freePaths: z.array(z.string()),
      permissions: z.array(
        z.strictObject({ permission: z.string(), zh: z.string(), en: z.string() }),
      ),
      mayAdd: z.boolean(),
    }),
  }),
  get: read('menu:read', {
    path: '/menus/{id}',
    summary: 'One menu',
    input: z.strictObject({ id: f.id }),
    output: MenuItem,
  }),
  create: write('menu:create', {
    path: '/menus',
    summary: 'Add a menu',
    audit: 'roles.menuCreate',
    errors: formErrors,
    input: z.strictObject(fields),
    output: MenuItem,
  }),
  update: write('menu:update', {
    method: 'PUT',
    path: '/menus/{id}',
    summary: 'Change a menu',
    audit: 'roles.menuUpdate',
    errors: [...formErrors, errors.ownBranch, errors.kept],
    input: z.strictObject({ id: f.id, version: f.version, ...fields }),
    output: MenuItem,
  }),
  setStatus: write('menu:update', {
    method: 'PUT',
    path: '/menus/{id}/status',
    summary: 'Stop or start a menu',
    audit: 'roles.menuStatus',
    errors: [errors.kept],
    input: z.strictObject({ id: f.id, version: f.version, status: MenuStatus }),
    output: MenuItem,
  }),
  sort: write('menu:update', {
    method: 'PUT',
    path: '/menus/sort',
    summary: 'A new order of the menus below one parent',
    audit: 'roles.menuSort',
    input: z.strictObject({
      parentId: f.id.nullable(),
      items: z
        .array(z.strictObject({ id: f.id, version: f.version }))
        .min(1)
        .max(200),
    }),
    output: f.done,
  }),
  restore: write('menu:update', {
    path: '/menus/restore',
    summary: 'The built-in menus back to the catalogue; own ones stay',
    audit: 'roles.menuRestore',
    output: f.done,
  }),
  remove: write('menu:delete', {
    method: 'DELETE',
    path: '/menus/{id}',
    summary: 'Delete a menu without children',
    audit: 'roles.menuRemove',
    errors: [errors.hasChildren, errors.kept],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
