import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '供应商',
    many: '供应商',
    fields: {
      keyword: '名称 / 联系人 / 信用代码',
      name: '供应商名称',
      creditCode: '统一社会信用代码',
      contact: '联系人',
      phone: '联系电话',
      suppliesDrugs: '供应药品',
      licence: '经营许可证',
      licenceUntil: '许可证有效期',
      supplierOrgId: '供应商机构',
      supplierOrgName: '供应商机构',
    },
    enums: { status: { ENABLED: '启用', DISABLED: '停用' } },
    batches: '批次',
    orgHint: '该机构的人员可以查看这条资料',
    audit: { create: '新增供应商', update: '编辑供应商', remove: '删除供应商' },
  },
  {
    one: 'supplier',
    many: 'suppliers',
    fields: {
      keyword: 'Name / contact / credit code',
      name: 'Supplier',
      creditCode: 'Unified social credit code',
      contact: 'Contact',
      phone: 'Phone',
      suppliesDrugs: 'Supplies drugs',
      licence: 'Drug licence',
      licenceUntil: 'Licence valid until',
      supplierOrgId: "Supplier's organisation",
      supplierOrgName: "Supplier's organisation",
    },
    enums: { status: { ENABLED: 'Enabled', DISABLED: 'Disabled' } },
    batches: 'Batches',
    orgHint: 'Its people can see this entry',
    audit: { create: 'Added supplier', update: 'Edited supplier', remove: 'Deleted supplier' },
  },
)
