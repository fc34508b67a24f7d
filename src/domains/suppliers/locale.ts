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
      licenceState: '许可证状态',
      supplierOrgId: '供应商机构',
      supplierOrgName: '供应商机构',
    },
    enums: {
      status: { ENABLED: '启用', DISABLED: '停用' },
      licenceState: { NONE: '未登记', VALID: '有效', SOON: '即将到期', EXPIRED: '已过期' },
    },
    licence: {
      ends: {
        title: '供应商“{name}”的经营许可证还有 {n} 天到期',
        body: '有效期至 {until}，到期后不能新增其药品批次，请及时更换许可证',
      },
      endsToday: {
        title: '供应商“{name}”的经营许可证今天到期',
        body: '有效期至 {until}，明天起不能新增其药品批次，请及时更换许可证',
      },
      ended: {
        title: '供应商“{name}”的经营许可证已过期',
        body: '有效期至 {until}，已停止新增其药品批次，更换许可证后恢复',
      },
    },
    tab: '供应商',
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
      licenceState: 'Licence',
      supplierOrgId: "Supplier's organisation",
      supplierOrgName: "Supplier's organisation",
    },
    enums: {
      status: { ENABLED: 'Enabled', DISABLED: 'Disabled' },
      licenceState: { NONE: 'None', VALID: 'Valid', SOON: 'Ends soon', EXPIRED: 'Expired' },
    },
    licence: {
      ends: {
        title: 'The drug licence of {name} ends in {n} days',
        body: 'It is valid until {until}; after that no batch of drugs can be added: have it renewed',
      },
      endsToday: {
        title: 'The drug licence of {name} ends today',
        body: 'It is valid until {until}; from tomorrow no batch of drugs can be added: have it renewed',
      },
      ended: {
        title: 'The drug licence of {name} has expired',
        body: 'It was valid until {until}; no batch of drugs can be added until it is renewed',
      },
    },
    tab: 'Suppliers',
    batches: 'Batches',
    orgHint: 'Its people can see this entry',
    audit: { create: 'Added supplier', update: 'Edited supplier', remove: 'Deleted supplier' },
  },
)
