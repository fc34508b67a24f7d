import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '收款账户',
    many: '收款账户',
    hint: '户名须与机构登记名称一致；新增或变更后 24 小时内不可提现。',
    whose: '账户归属',
    ownMoney: '本机构',
    personHint:
      '户名须与推荐人证件姓名一致；推荐人的微信由本人扫码绑定。新增或变更后 24 小时内不可提现。',
    none: '还没有收款账户',
    noHint: '添加后 24 小时可用于提现。',
    numberHint: {
      BANK: '银行卡号或对公账号，8-30 位数字',
      WECHAT: '收款人在本平台公众号或小程序下的 openid',
      ALIPAY: '支付宝登录账号（手机号或邮箱）',
    },
    fields: {
      method: '方式',
      holder: '户名',
      bankName: '开户银行',
      accountNo: '账号',
      state: '状态',
      usableTime: '可用时间',
      referrerId: '推荐人',
      referrerName: '推荐人',
    },
    enums: {
      method: { BANK: '银行卡', WECHAT: '微信商家转账', ALIPAY: '支付宝' },
      state: { USABLE: '可用', RESTING: '变更保护中', MISMATCH: '户名不一致' },
    },
    audit: { create: '新增收款账户', update: '修改收款账户', remove: '删除收款账户' },
  },
  {
    one: 'payout account',
    many: 'payout accounts',
    hint: 'The holder must be the registered name of the organisation. A new or changed account can be used after 24 hours.',
    whose: 'Whose account',
    ownMoney: 'Own organisation',
    personHint:
      'The holder must be the name of the referrer’s papers; WeChat is bound by scanning his code. A new or changed account can be used after 24 hours.',
    none: 'No payout accounts yet',
    noHint: 'It can be used 24 hours after it was added.',
    numberHint: {
      BANK: 'Card or company account, 8 to 30 digits',
      WECHAT: 'The openid of the payee in our account or mini-program',
      ALIPAY: 'The sign-in name there: mobile number or e-mail',
    },
    fields: {
      method: 'Method',
      holder: 'Holder',
      bankName: 'Bank',
      accountNo: 'Account',
      state: 'State',
      usableTime: 'Usable from',
      referrerId: 'Referrer',
      referrerName: 'Referrer',
    },
    enums: {
      method: { BANK: 'Bank card', WECHAT: 'WeChat transfer', ALIPAY: 'Alipay' },
      state: { USABLE: 'Usable', RESTING: 'Resting', MISMATCH: 'Other holder' },
    },
    audit: {
      create: 'Added payout account',
      update: 'Changed payout account',
      remove: 'Removed payout account',
    },
  },
)
