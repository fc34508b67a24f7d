import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { masked } from '../../server/auditMask.ts'
import { settingKeys, settingOfKey } from './registry.ts'

/** Everything that may read a setting: the product without its texts and tests. */
const code = globSync('src/**/*.{ts,tsx}', { exclude: (path) => path.endsWith('.test.ts') })
  .filter((file) => !/settings\/(registry|locale|seed)/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

test.each(settingKeys.map((key) => [key] as const))(
  '%s: shown exactly when something reads it',
  (key) => {
    const read = code.includes(`'${key}'`)
    expect({ key, pending: settingOfKey(key).pending ?? false }).toEqual({ key, pending: !read })
  },
)

test('what guards the platform’s money is the platform’s to set', () => {
  for (const key of settingKeys.filter((one) =>
    /^funds\.(review|refundReserve|debtShare|minWithdrawal|withdrawals)/.test(one),
  ))
    expect([key, settingOfKey(key).level]).toEqual([key, 'platform'])
})

test('every default is a value, and every text is there in both languages', () => {
  for (const key of settingKeys) {
    const { shape, fallback, name, help } = settingOfKey(key)
    expect([key, shape.safeParse(fallback).success]).toEqual([key, true])
    expect([key, name.split('\u001f').length, help.split('\u001f').length]).toEqual([key, 2, 2])
  }
})

test.each([
  ['device.offlineSeconds', 60, true],
  ['device.offlineSeconds', 3600, true],
  ['device.offlineSeconds', 59, '超出允许范围（60–3600）'],
  ['device.offlineSeconds', 3601, '超出允许范围（60–3600）'],
  ['device.offlineSeconds', 60.5, '超出允许范围（60–3600）'],
  ['device.offlineSeconds', '60', '超出允许范围（60–3600）'],
  ['device.offlineSeconds', null, '超出允许范围（60–3600）'],
  ['session.idleMinutes', 0, true],
  ['session.idleMinutes', 5, '超出允许范围（10–1440）'],
  ['funds.minWithdrawal', 9, '超出允许范围（0.10–1000.00）'],
  ['home.refresh', 'h1', true],
  ['home.refresh', 'h2', '选项不正确'],
  ['order.autoRefund', 'yes', '请选择是或否'],
  ['order.drugNotice', ' ', '超出允许范围（1–100）'],
  ['device.businessHours', { from: '22:00', to: '06:00' }, true],
  ['device.businessHours', { from: '24:00', to: '06:00' }, '时间格式为 HH:mm'],
  ['device.businessHours', { from: '06:00', to: '06:00' }, '开始和结束不能相同'],
  [
    'alarm.channels',
    {
      message: true,
      wechat: false,
      sms: '13800138000',
      email: 'a@b.cn',
      webhook: 'https://a.cn/x',
    },
    true,
  ],
  [
    'alarm.channels',
    { message: true, wechat: false, sms: '', email: '', webhook: 'http://a.cn' },
    '须为 https 地址',
  ],
] as const)('%s = %o', (key, value, expected) => {
  const result = settingOfKey(key).shape.safeParse(value)
  expect(result.success || result.error.issues[0]?.message.split('\u001f')[0]).toBe(expected)
})

test('the log keeps before and after of every setting', () => {
  for (const key of settingKeys)
    expect([key, masked({ [key]: { value: 9, locked: false } })]).toEqual([
      key,
      { [key]: { value: 9, locked: false } },
    ])
})
