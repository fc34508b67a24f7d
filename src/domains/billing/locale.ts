import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '账单',
    many: '账单明细',
    title: '账单明细',
    views: {
      bills: '账单',
      balance: '资金账户',
      ledger: '资金流水',
      timeline: '结算时间线',
      reconciliation: '日对账',
      withdrawals: '提现',
    },
  },
  {
    one: 'bill',
    many: 'bills',
    title: 'Billing details',
    views: {
      bills: 'Bills',
      balance: 'Balance',
      ledger: 'Ledger',
      timeline: 'Settlement',
      reconciliation: 'Reconciliation',
      withdrawals: 'Withdrawals',
    },
  },
)
