import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'

export const insuranceErrors = defineErrors('medicalInsurance', {
  productTaken: [
    409004,
    '只能添加一个商品：该商品在此期间已有医保信息',
    'Only one entry for a product: it has one in this period',
  ],
  codeTaken: [
    409004,
    '国家医保编码在此期间已被其他商品使用',
    'Another product uses this code in this period',
  ],
  noDrug: [422001, '只能选择药品', 'Only drugs have insurance entries'],
})

/** Both days count. */
export const periodFindings = (period: { validFrom: string; validUntil: string }) =>
  period.validUntil > period.validFrom
    ? []
    : [
        {
          field: 'validUntil',
          text: bi('结束时间必须晚于开始时间', 'The end must be after the begin'),
        },
      ]

export const drugRule = (product: { drugClass: string }): ErrorDef | null =>
  product.drugClass === 'NONE' ? insuranceErrors.noDrug : null
