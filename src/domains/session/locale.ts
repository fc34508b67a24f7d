import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    fields: {
      username: '用户名',
      password: '密码',
      oldPassword: '原密码',
      newPassword: '新密码',
      repeat: '确认密码',
      realName: '真实姓名',
      phone: '联系电话',
      img: '头像',
      address: '街道地址',
      orgName: '所属机构',
      roles: '角色',
      lastLogin: '最近登录',
    },
    audit: { logout: '退出登录', editProfile: '修改个人资料', changePassword: '修改密码' },
    success: { editProfile: '保存成功', changePassword: '密码已修改,请重新登录' },
  },
  {
    fields: {
      username: 'Username',
      password: 'Password',
      oldPassword: 'Old password',
      newPassword: 'New password',
      repeat: 'Repeat password',
      realName: 'Real name',
      phone: 'Contact phone',
      img: 'Picture',
      address: 'Street address',
      orgName: 'Organisation',
      roles: 'Roles',
      lastLogin: 'Last sign-in',
    },
    audit: { logout: 'Signed out', editProfile: 'Changed own record', changePassword: 'Changed own password' },
    success: { editProfile: 'Saved', changePassword: 'Password changed, please sign in again' },
  },
)
