import { bi } from '../../shared/text.ts'
import { facts, later } from './facts.ts'
import * as k from './kinds.ts'

export const basic = {
  'basic.productName': k.text(
    later('basic', 'org', bi('产品名称', 'Product name'), bi('显示在标题栏和登录页', 'Shown in the title bar and on the sign-in page')),
    20,
    '货道',
  ),
  'basic.logo': k.image(later('basic', 'org', bi('Logo', 'Logo'), bi('jpg 或 png,不超过 2M', 'jpg or png, at most 2M'))),
  'basic.language': k.choice(
    later('basic', 'org', bi('默认语言', 'Default language'), bi('用户未选择语言时使用', 'Used until a person chooses one')),
    { 'zh-CN': bi('简体中文', 'Simplified Chinese'), en: bi('英文', 'English') },
    'zh-CN',
  ),
  'home.refresh': k.timing(
    facts(
      'basic',
      'org',
      bi('首页刷新频率', 'Home page refresh'),
      bi('用户未自行选择时首页的刷新间隔', 'How often the home page reads again until a person chooses'),
    ),
    'm1',
  ),
}

export const security = {
  'session.idleMinutes': k.int(
    facts(
      'security',
      'platform',
      bi('空闲退出', 'Sign out when idle'),
      bi('无操作超过该时间后需重新登录，0 为从不', 'Without a request for so long a person signs in again; 0 is never'),
    ),
    'minute',
    10,
    1440,
    120,
    'never',
  ),
  'session.absoluteDays': k.int(
    facts('security', 'platform', bi('会话有效期', 'Session lifetime'), bi('登录后最长有效天数', 'The longest a sign-in lasts')),
    'day',
    1,
    30,
    7,
  ),
  'session.secondFactor': k.choice(
    facts(
      'security',
      'platform',
      bi('两步验证', 'Two-step sign-in'),
      bi(
        '须使用手机验证器登录的账号；未设置的账号登录后只能先设置',
        'Who must sign in with an authenticator app; others may. Without one only its set-up is open',
      ),
    ),
    {
      off: bi('自愿', 'Nobody must'),
      'money-and-secrets': bi('涉及资金、密钥或权限的账号', 'Accounts with money, secrets or rights'),
      everyone: bi('所有账号', 'Every account'),
    },
    'off',
  ),
  'session.proofMinutes': k.int(
    facts(
      'security',
      'platform',
      bi('身份验证有效时间', 'How long a proof counts'),
      bi('登录或验证身份后超过该时间，修改登录方式、密钥和权限须再次验证', 'After it, changing a way to sign in, a secret or a right asks again who you are'),
    ),
    'minute',
    1,
    60,
    10,
  ),
  'session.refundProof': k.fen(
    facts(
      'security',
      'platform',
      bi('退款验证金额', 'Refunds that ask for a proof'),
      bi('上次验证身份后退款累计达到该金额须再次验证', 'Refunds since the last proof that come to this amount ask who you are'),
    ),
    0,
    10_000_000,
    20_000,
  ),
  'login.maxFailures': k.int(
    facts(
      'security',
      'platform',
      bi('密码错误次数', 'Wrong passwords'),
      bi('同一地址或浏览器连续输错达到该次数后暂停其登录', 'So many wrong ones in a row shut out the address or browser'),
    ),
    'time',
    3,
    10,
    5,
  ),
  'login.lockMinutes': k.int(
    facts(
      'security',
      'platform',
      bi('锁定时长', 'Lock time'),
      bi('暂停登录多久；一天内每次加倍', 'How long it stays shut out; twice as long each time within a day'),
    ),
    'minute',
    5,
    120,
    15,
  ),
  'password.minLength': k.int(
    facts('security', 'platform', bi('密码最短长度', 'Shortest password'), bi('新设密码的最少字符数', 'Fewest characters of a new password')),
    'character',
    8,
    32,
    8,
  ),
  'password.history': k.int(
    facts('security', 'platform', bi('密码不可重复次数', 'Password history'), bi('不能与最近几次密码相同', 'A new password differs from the last so many')),
    'time',
    0,
    10,
    5,
  ),
  'password.firstDays': k.int(
    facts(
      'security',
      'platform',
      bi('初始密码有效期', 'First password lasts'),
      bi('须修改的初始密码在该天数内未使用即失效，0 为不限', 'A password that must be changed opens for so many days; 0 is no limit'),
    ),
    'day',
    0,
    365,
    7,
  ),
  'password.maxAgeDays': k.int(
    facts(
      'security',
      'platform',
      bi('密码有效期', 'Password lifetime'),
      bi('到期后登录须修改密码，0 为不限', 'Then it must be changed at sign-in; 0 is no limit'),
    ),
    'day',
    0,
    365,
    0,
  ),
}
