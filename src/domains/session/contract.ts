import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const sessionErrors = defineErrors('session', {
  wrongCredentials: [401001, '用户名或密码错误', 'Wrong username or password'],
  wrongOldPassword: [400002, '原密码错误', 'The old password is wrong'],
  passwordRepeated: [400003, '新密码不能与最近使用过的密码相同', 'The new password was used recently'],
  passwordHasName: [400004, '密码不能包含用户名', 'The password must not contain the username'],
  passwordCommon: [400005, '密码过于常见,请更换', 'The password is too common'],
})

/** 8 to 128 characters, at least a letter and a digit (quality.md B; settled difference 17). */
export const newPassword = z
  .string({ error: bi('请输入新密码', 'Enter a new password') })
  .min(8, bi('密码至少8个字符', 'At least 8 characters'))
  .max(128, bi('密码不能超过128个字符', 'At most 128 characters'))
  .refine((p) => /\p{L}/u.test(p) && /\d/.test(p), bi('密码须同时包含字母和数字', 'Use at least one letter and one digit'))

const typedPassword = z
  .string({ error: bi('请输入密码', 'Enter your password') })
  .refine((p) => p.trim() !== '', bi('请输入密码', 'Enter your password'))
  .max(128)

/** A node of the menu tree, as the specification's client reads it; `hidden` authorises a route without showing it. */
export type MenuNode = {
  name: string
  path: string
  title: string
  titleEn: string
  icon: string
  sort: number
  hidden: boolean
  children: MenuNode[]
}
export const MenuNode: z.ZodType<MenuNode> = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    title: z.string(),
    titleEn: z.string(),
    icon: z.string(),
    sort: z.number().int(),
    hidden: z.boolean(),
    children: z.array(MenuNode),
  }),
)

export const CurrentUser = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  /** Identifier of the user's highest role. */
  role: z.string(),
  is_superuser: z.boolean(),
  img: z.string(),
  title: z.string(),
  menus: z.array(MenuNode),
  permissions: z.array(z.string()),
  orgId: f.id,
  orgName: z.string(),
  mustChangePassword: z.boolean(),
})
export type CurrentUser = z.infer<typeof CurrentUser>

export const ChangePassword = z
  .strictObject({
    oldPassword: z
      .string({ error: bi('请输入原密码', 'Enter the old password') })
      .min(1, bi('请输入原密码', 'Enter the old password'))
      .max(128),
    password: newPassword,
    repeat: z.string({ error: bi('请再次输入新密码', 'Repeat the new password') }).max(128),
  })
  .refine((v) => v.password === v.repeat, { path: ['repeat'], message: bi('两次输入的密码不一致', 'The two passwords differ') })

export const Profile = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  phone: z.string(),
  consumerPhone: z.string(),
  img: z.string(),
  address: z.string(),
  orgName: z.string(),
  roleNames: z.array(z.strictObject({ zh: z.string(), en: z.string() })),
  version: f.version,
  lastLogin: z.strictObject({ at: f.instant, ip: z.string() }).nullable(),
})
export const EditProfile = z.strictObject({
  realName: f.text(30, bi('请输入真实姓名', 'Enter your real name')),
  phone: f.mobile,
  img: z.union([f.imageUrl, z.literal('')]),
  address: f.optionalText(100),
  version: f.version,
})

export const session = {
  login: write('open', {
    path: '/auth/login',
    summary: 'Sign in; the token goes into the Authorization header',
    audit: { none: 'login_attempts keeps every try, successful or not' },
    guessable: true,
    errors: [sessionErrors.wrongCredentials],
    input: z.strictObject({ username: f.text(200, bi('请输入用户名', 'Enter your username')), password: typedPassword }),
    output: z.strictObject({ token: z.string() }),
  }),
  user: read('self', { path: '/auth/user', summary: 'The signed-in user with menus and permissions', output: CurrentUser }),
  logout: write('self', { path: '/auth/logout', summary: 'End this session', audit: 'session.logout', output: f.done }),
  profile: read('self', { path: '/me', summary: 'Own record for the personal centre', output: Profile }),
  editProfile: write('self', { method: 'PUT', path: '/me', summary: 'Change own record', audit: 'session.editProfile', input: EditProfile, output: Profile }),
  changePassword: write('self', {
    method: 'PUT',
    path: '/me/password',
    summary: 'Change the own password; ends every session of the user',
    audit: 'session.changePassword',
    errors: [sessionErrors.wrongOldPassword, sessionErrors.passwordRepeated, sessionErrors.passwordHasName, sessionErrors.passwordCommon],
    input: ChangePassword,
    output: f.done,
  }),
  preferences: read('self', { path: '/me/preferences', summary: 'Column settings and the like', output: z.record(z.string(), z.unknown()) }),
  savePreference: write('self', {
    method: 'PUT',
    path: '/me/preferences',
    summary: 'Keep one preference',
    audit: { none: 'layout of a screen, not an act' },
    input: z.strictObject({ key: z.string().regex(/^[a-z][\w.:/-]{0,99}$/i), value: z.unknown() }),
    output: f.done,
  }),
}
