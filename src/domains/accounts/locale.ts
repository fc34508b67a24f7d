import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    fields: { userName: '用户名', name: '真实姓名', avatar: '头像', role: '角色', roleCode: '角色', address: '街道地址', createTime: '创建时间', keyword: '用户名 / 真实姓名', kind: '机构类型', parentId: '上级机构' },
    enums: {
      kind: { PLATFORM: '平台', AGENT: '代理商', OPERATOR: '运营商', SPONSOR: '赞助商', SUPPLIER: '供应商', SCHOOL: '学校', HOSPITAL: '医院', LANE_TENANT: '货道租户' },
      role: {
        ROLE_SUPER_ADMIN: '超级管理员', ROLE_ADMIN: '总管理员', ROLE_RTU_AGENT: '代理商', ROLE_RTU_SP: '运营商', ROLE_RTU_REPLENISHER: '补货员', ROLE_RTU_REPAIRER: '维修员', ROLE_SPONSOR: '赞助商', ROLE_FINANCE: '财务',
        ROLE_CAMPUS_CARD: '校园IC卡管理员', ROLE_HOSPITAL_CARD: '医院IC卡管理员', ROLE_SUPPLIER: '供应商', ROLE_LANE_TENANT: '货道租户', ROLE_DRUG_REGULATOR: '药监人员',
      },
    },
  },
  {
    fields: { userName: 'Username', name: 'Real name', avatar: 'Avatar', role: 'Role', roleCode: 'Role', address: 'Street address', createTime: 'Created', keyword: 'Username / real name', kind: 'Kind of organisation', parentId: 'Parent organisation' },
    enums: {
      kind: { PLATFORM: 'Platform', AGENT: 'Agent', OPERATOR: 'Operator', SPONSOR: 'Sponsor', SUPPLIER: 'Supplier', SCHOOL: 'School', HOSPITAL: 'Hospital', LANE_TENANT: 'Cargo-lane tenant' },
      role: {
        ROLE_SUPER_ADMIN: 'Super administrator', ROLE_ADMIN: 'General administrator', ROLE_RTU_AGENT: 'Agent', ROLE_RTU_SP: 'Operator', ROLE_RTU_REPLENISHER: 'Replenisher', ROLE_RTU_REPAIRER: 'Repairman', ROLE_SPONSOR: 'Sponsor', ROLE_FINANCE: 'Finance',
        ROLE_CAMPUS_CARD: 'Campus IC card manager', ROLE_HOSPITAL_CARD: 'Hospital IC card manager', ROLE_SUPPLIER: 'Supplier', ROLE_LANE_TENANT: 'Cargo-lane tenant', ROLE_DRUG_REGULATOR: 'Drug regulator',
      },
    },
  },
)
