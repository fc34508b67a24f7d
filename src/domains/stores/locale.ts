import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '门店',
    many: '门店',
    devices: '查看设备',
    fields: {
      keyword: '门店名称 / 地址',
      storeName: '门店名称',
      systemId: '系统号',
      userId: '负责人',
      userName: '负责人',
      paymentConfigId: '收款配置',
      merchantName: '收款配置',
      address: '详细地址',
    },
    audit: { create: '新增门店', update: '编辑门店', remove: '删除门店' },
  },
  {
    one: 'store',
    many: 'stores',
    devices: 'Its devices',
    fields: {
      keyword: 'Name / address',
      storeName: 'Store',
      systemId: 'System number',
      userId: 'In charge',
      userName: 'In charge',
      paymentConfigId: 'Merchant',
      merchantName: 'Merchant',
      address: 'Street address',
    },
    audit: { create: 'Added store', update: 'Edited store', remove: 'Deleted store' },
  },
)
