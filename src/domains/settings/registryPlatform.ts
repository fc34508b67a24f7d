import { bi } from '../../shared/text.ts'
import * as k from './kinds.ts'

export const basic = k.settings('basic', 'org', {
  'basic.productName': {
    ...k.text(20, '货道'),
    name: bi('产品名称', 'Product name'),
    help: bi('显示在标题栏和登录页', 'Shown in the title bar and on the sign-in page'),
    pending: true,
  },
  'basic.logo': {
    ...k.image(),
    name: bi('Logo', 'Logo'),
    help: bi('jpg 或 png，不超过 2M', 'jpg or png, at most 2M'),
    pending: true,
  },
  'basic.language': {
    ...k.choice(
      { 'zh-CN': bi('简体中文', 'Simplified Chinese'), en: bi('英文', 'English') },
      'zh-CN',
    ),
    name: bi('默认语言', 'Default language'),
    help: bi('用户未选择语言时使用', 'Used until a person chooses one'),
    pending: true,
  },
  'home.refresh': {
    ...k.timing('m1'),
    name: bi('首页刷新频率', 'Home page refresh'),
    help: bi(
      '用户未自行选择时首页的刷新间隔',
      'How often the home page reads again until a person chooses',
    ),
  },
})

export const security = k.settings('security', 'platform', {
  'session.idleMinutes': {
    ...k.int('minute', 10, 1440, 120, 'never'),
    name: bi('空闲退出', 'Sign out when idle'),
    help: bi(
      '无操作超过该时间后需重新登录，0 为从不',
      'Without a request for so long a person signs in again; 0 is never',
    ),
  },
  'session.absoluteDays': {
    ...k.int('day', 1, 30, 7),
    name: bi('会话有效期', 'Session lifetime'),
    help: bi('登录后最长有效天数', 'The longest a sign-in lasts'),
  },
  'session.secondFactor': {
    ...k.choice(
      {
        off: bi('自愿', 'Nobody must'),
        'money-and-secrets': bi(
          '涉及资金、密钥或权限的账号',
          'Accounts with money, secrets or rights',
        ),
        everyone: bi('所有账号', 'Every account'),
      },
      'off',
    ),
    name: bi('两步验证', 'Two-step sign-in'),
    help: bi(
      '须使用手机验证器登录的账号；未设置的账号登录后只能先设置',
      'Who must sign in with an authenticator app; others may. Without one only its set-up is open',
    ),
  },
  'session.proofMinutes': {
    ...k.int('minute', 1, 60, 10),
    name: bi('身份验证有效时间', 'How long a proof counts'),
    help: bi(
      '登录或验证身份后超过该时间，修改登录方式、密钥和权限须再次验证',
      'After it, changing a way to sign in, a secret or a right asks again who you are',
    ),
  },
  'session.refundProof': {
    ...k.fen(0, 10_000_000, 20_000),
    name: bi('退款验证金额', 'Refunds that ask for a proof'),
    help: bi(
      '上次验证身份后退款累计达到该金额须再次验证',
      'Refunds since the last proof that come to this amount ask who you are',
    ),
  },
  'login.maxFailures': {
    ...k.int('time', 3, 10, 5),
    name: bi('密码错误次数', 'Wrong passwords'),
    help: bi(
      '同一地址或浏览器连续输错达到该次数后暂停其登录',
      'So many wrong ones in a row shut out the address or browser',
    ),
  },
  'login.lockMinutes': {
    ...k.int('minute', 5, 120, 15),
    name: bi('锁定时长', 'Lock time'),
    help: bi(
      '暂停登录多久；一天内每次加倍',
      'How long it stays shut out; twice as long each time within a day',
    ),
  },
  'password.minLength': {
    ...k.int('character', 8, 32, 8),
    name: bi('密码最短长度', 'Shortest password'),
    help: bi('新设密码的最少字符数', 'Fewest characters of a new password'),
  },
  'password.history': {
    ...k.int('time', 0, 10, 5),
    name: bi('密码不可重复次数', 'Password history'),
    help: bi('不能与最近几次密码相同', 'A new password differs from the last so many'),
  },
  'password.firstDays': {
    ...k.int('day', 0, 365, 7),
    name: bi('初始密码有效期', 'First password lasts'),
    help: bi(
      '须修改的初始密码在该天数内未使用即失效，0 为不限',
      'A password that must be changed opens for so many days; 0 is no limit',
    ),
  },
  'password.maxAgeDays': {
    ...k.int('day', 0, 365, 0),
    name: bi('密码有效期', 'Password lifetime'),
    help: bi('到期后登录须修改密码，0 为不限', 'Then it must be changed at sign-in; 0 is no limit'),
  },
})
