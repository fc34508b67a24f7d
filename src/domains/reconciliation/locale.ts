import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '对账差异',
    many: '日对账',
    audit: {
      claim: '领取对账差异',
      resolve: '处理对账差异',
      ignore: '忽略对账差异',
      approve: '复核对账差异',
      reopen: '重新打开对账差异',
    },
  },
  {
    one: 'difference',
    many: 'reconciliation',
    audit: {
      claim: 'Took a difference',
      resolve: 'Resolved a difference',
      ignore: 'Ignored a difference',
      approve: 'Approved how a difference was closed',
      reopen: 'Took up a difference again',
    },
  },
)
