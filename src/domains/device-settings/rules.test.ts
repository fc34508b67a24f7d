import { describe, expect, test } from 'vitest'
import { type Config, deviceSettings, deviceSettingsErrors as e } from './contract.ts'
import {
  configRule,
  defaultConfig,
  forbiddenLimits,
  merged,
  type Storage,
  sameConfig,
} from './rules.ts'

const cold = { refrigeration: true, kind: 'GENERAL', dropSensor: true, autoRefund: true }
const good = defaultConfig(cold)
const body = (change: Record<string, unknown>) => ({ id: 1, version: 0, ...good, ...change })
const firstIssue = (result: {
  success: boolean
  error?: { issues: readonly { message: string; path: readonly PropertyKey[] }[] } | undefined
}) =>
  result.success
    ? null
    : [String(result.error?.issues[0]?.path[0]), result.error?.issues[0]?.message.split('\u001f')]

test.each<[string, Record<string, unknown>, string, string]>([
  ['lowest over highest', { tempMin: 9, tempMax: 8 }, 'tempMin', '最低温度不能高于最高温度'],
  ['humidity the same', { humMin: 81, humMax: 80 }, 'humMin', '最低湿度不能高于最高湿度'],
  ['no temperature', { tempMin: undefined }, 'tempMin', '温度不能为空'],
  ['no humidity', { humMax: null }, 'humMax', '湿度不能为空'],
  ['not a number', { tempMax: 'NaN' }, 'tempMax', '温度须为-30到60，步长0.5'],
  ['NaN itself', { tempMax: Number.NaN }, 'tempMax', '温度须为-30到60，步长0.5'],
  ['too cold', { tempMin: -300 }, 'tempMin', '温度须为-30到60，步长0.5'],
  ['too warm', { tempMax: 60.5 }, 'tempMax', '温度须为-30到60，步长0.5'],
  ['between the steps', { tempMax: 5.3 }, 'tempMax', '温度须为-30到60，步长0.5'],
  ['101 %', { humMax: 101 }, 'humMax', '湿度须为0到100，步长0.5'],
  ['limit empty', { limitPerOrder: null }, 'limitPerOrder', '限购数量不能为空'],
  ['limit missing', { limitPerDay: undefined }, 'limitPerDay', '限购数量不能为空'],
  ['limit -1', { limitPerOrder: -1 }, 'limitPerOrder', '限购数量超出范围（0-999）'],
  ['limit 1.5', { limitPerDay: 1.5 }, 'limitPerDay', '限购数量超出范围（0-999）'],
  ['limit 1e9', { limitPerDay: 1e9 }, 'limitPerDay', '限购数量超出范围（0-999）'],
  ['never reports', { reportSeconds: 0 }, 'reportSeconds', '上报间隔不能为从不'],
  ['reports every 2 s', { reportSeconds: 2 }, 'reportSeconds', '时间须为5秒到1小时'],
  ['screen off after 2 h', { screenOffSeconds: 7200 }, 'screenOffSeconds', '时间须为5秒到1小时'],
  ['volume 101', { volume: 101 }, 'volume', '音量须为0-100'],
  ['no window', { lighting: [{ from: '06:00', to: '06:00' }] }, 'lighting', '开始和结束不能相同'],
  ['25 o’clock', { lighting: [{ from: '25:00', to: '06:00' }] }, 'lighting', '时间格式为 HH:mm'],
])('%s is refused at its field, in both languages', (_, change, field, text) => {
  const [path, message] = firstIssue(deviceSettings.save.input.safeParse(body(change))) ?? []
  expect([path, message?.[0], (message?.[1] ?? '').length > 5]).toEqual([field, text, true])
})
test.each([
  {},
  { screenOffSeconds: 0 },
  { tempMin: -30, tempMax: 60 },
  { tempMin: 8, tempMax: 8 },
  { tempMin: null, tempMax: null },
  { lighting: [] },
])('%o is fine', (change) =>
  expect(firstIssue(deviceSettings.save.input.safeParse(body(change)))).toBeNull(),
)

test.each<[string, unknown, string, string]>([
  ['no machine', { ids: [], config: { volume: 5 } }, 'ids', '请至少选择一台设备'],
  ['nothing ticked', { ids: [1], config: {} }, 'config', '请至少勾选一项设置'],
  ['ticked and empty', { ids: [1], config: { humMin: null } }, 'config', '湿度不能为空'],
  [
    'lowest over highest',
    { ids: [1], config: { tempMin: 5, tempMax: 4 } },
    'config',
    '最低温度不能高于最高温度',
  ],
])('a batch with %s is refused', (_, input, field, text) => {
  const [path, message] = firstIssue(deviceSettings.saveBatch.input.safeParse(input)) ?? []
  expect([path, message?.[0]]).toEqual([field, text])
})
test('201 machines are too many', () =>
  expect(
    deviceSettings.saveBatch.input.safeParse({
      ids: Array.from({ length: 201 }, (_, i) => i + 1),
      config: { volume: 5 },
    }).success,
  ).toBe(false))

const drug = { refrigeration: true, kind: 'DRUG' }
const insulin: Storage = { product: '胰岛素', min: 2, max: 8 }
const pill: Storage = { product: '感冒灵', min: null, max: 25 }
describe('which settings fit a machine', () => {
  test.each<
    [string, { refrigeration: boolean; kind: string }, Partial<Config>, readonly Storage[], unknown]
  >([
    ['usual', cold, {}, [], null],
    [
      'cooled without temperature',
      cold,
      { tempMin: null, tempMax: null },
      [],
      { def: e.tempMissing, field: 'tempMin' },
    ],
    [
      'cooled with half of it',
      cold,
      { tempMax: null },
      [],
      { def: e.tempMissing, field: 'tempMax' },
    ],
    [
      'temperature of a warm type',
      { refrigeration: false, kind: 'GENERAL' },
      {},
      [],
      { def: e.tempNotHere, field: 'tempMin' },
    ],
    [
      'a patch that crosses the other end',
      cold,
      { tempMin: 9 },
      [],
      { def: e.tempOrder, field: 'tempMin' },
    ],
    ['humidity crossed', cold, { humMin: 90 }, [], { def: e.humOrder, field: 'humMin' }],
    ['within the storage range', drug, { tempMin: 2, tempMax: 8 }, [insulin, pill], null],
    [
      'too warm for one',
      drug,
      { tempMin: 2, tempMax: 10 },
      [insulin, pill],
      { def: e.outsideStorage, field: 'tempMin', values: { products: '胰岛素' } },
    ],
    [
      'wrong for both',
      drug,
      { tempMin: 1, tempMax: 30 },
      [insulin, pill, insulin],
      { def: e.outsideStorage, field: 'tempMin', values: { products: '胰岛素、感冒灵' } },
    ],
    ['no drug machine', cold, { tempMin: 1, tempMax: 30 }, [insulin], null],
  ])('%s', (_, type, change, storage, wrong) =>
    expect(configRule(type, { ...good, ...change }, storage)).toEqual(wrong),
  )
})

test('a patch changes what it names, and only that is compared', () => {
  expect(merged(good, { volume: 5 })).toEqual({ ...good, volume: 5 })
  expect(sameConfig(good, { ...good, lighting: [{ to: '23:00', from: '06:00' }] })).toBe(true)
  expect([sameConfig(good, { ...good }), sameConfig(good, merged(good, { lighting: [] }))]).toEqual(
    [true, false],
  )
})

test('a repairer may not touch the limits', () => {
  const after = { ...good, limitPerDay: 3, volume: 1 }
  expect([forbiddenLimits(false, good, after), forbiddenLimits(true, good, after)]).toEqual([
    ['limitPerDay'],
    [],
  ])
})
