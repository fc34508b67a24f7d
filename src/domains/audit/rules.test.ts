import { describe, expect, test } from 'vitest'
import { masked } from '../../server/auditMask.ts'
import { traceOf } from '../../server/refusals.ts'
import { changesOf, deviceOf, kickProblem, listChange, moduleOf } from './rules.ts'

describe('what changed', () => {
  test.each([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a value', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ field: 'b', before: 2, after: 3 }]],
    [
      'what only moved the version',
      { a: 1, version: 1, can: { edit: true } },
      { a: 1, version: 2, can: {} },
      [],
    ],
    [
      'nested, by its path',
      { a: { b: { c: 1 } } },
      { a: { b: { c: 2 } } },
      [{ field: 'a.b.c', before: 1, after: 2 }],
    ],
    ['a list as a whole', { a: [1, 2] }, { a: [1] }, [{ field: 'a', before: [1, 2], after: [1] }]],
    ['everything of a new thing', null, { a: 1 }, [{ field: 'a', before: null, after: 1 }]],
    ['everything of a deleted one', { a: 1 }, undefined, [{ field: 'a', before: 1, after: null }]],
    ['two texts', 'x', 'y', [{ field: 'value', before: 'x', after: 'y' }]],
  ])('%s', (_, before, after, wanted) => expect(changesOf(before, after)).toEqual(wanted))
})

describe('what went from a list and what came', () => {
  test.each([
    ['one of each', [1, 2, 3], [2, 3, 4], { gone: [1], came: [4] }],
    ['a first list', null, ['a'], { gone: [], came: ['a'] }],
    ['another order: both as they are', [1, 2], [2, 1], { gone: [1, 2], came: [2, 1] }],
    ['lists of objects are not compared', [{ a: 1 }], [], null],
    ['no list', 'x', [], null],
  ])('%s', (_, before, after, wanted) => expect(listChange(before, after)).toEqual(wanted))
})

describe('what a log row may hold', () => {
  test.each([
    ['a phone', { phone: '13800138000' }, { phone: '138****8000' }],
    [
      'a phone deep inside',
      { users: [{ contactPhone: '13800138000' }] },
      { users: [{ contactPhone: '138****8000' }] },
    ],
    ['a short one', { phone: '110' }, { phone: '***' }],
    ['an identity number', { idNumber: '440305199001011234' }, { idNumber: '4403**********1234' }],
    [
      'a bank account',
      { bankAccount: '6222020200012345678' },
      { bankAccount: '6222***********5678' },
    ],
    [
      'secrets',
      {
        name: 'x',
        password: 'a',
        passwordHash: 'b',
        desKey: 'c',
        saltMd5Key: 'd',
        token: 'e',
        apiV3Key: 'f',
      },
      { name: 'x' },
    ],
    ['whether a secret is set', { hasSecret: true }, { hasSecret: true }],
    ['nothing of a buffer', { a: Buffer.from('x'), b: 1 }, { b: 1 }],
    [
      'of an address the host',
      { url: 'https://oapi.example.com/robot/send?access_token=1' },
      { url: 'https://oapi.example.com/…' },
    ],
    ['an instant', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['no empty phone hidden', { phone: '' }, { phone: '' }],
    ['ids and keys of rows', { id: 12, key: 'x', menuKeyword: 'y' }, { id: 12, menuKeyword: 'y' }],
  ])('%s', (_, given, wanted) => expect(masked(given)).toEqual(wanted))
  test('long texts are cut, depth ends', () => {
    expect((masked({ a: 'x'.repeat(5000) }) as { a: string }).a).toHaveLength(2001)
    expect(JSON.stringify(masked({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }))).toContain(
      '…',
    )
  })
})

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
    'Chrome 130 · Windows',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0',
    'Edge 130 · Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.49',
    'WeChat 8 · iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari 17 · macOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox 131 · Linux'],
  ['curl/8.5.0', 'curl 8'],
  ['', ''],
  [
    'robot with a very long name that nobody has ever heard of',
    'robot with a very long name that nobody ',
  ],
])('%s', (agent, wanted) => expect(deviceOf(agent)).toBe(wanted))

test.each([
  [403, 'read', 'REFUSED'],
  [404, 'read', null],
  [403, 'write', 'REFUSED'],
  [404, 'write', 'REFUSED'],
  [409, 'write', 'REFUSED'],
  [422, 'write', 'REFUSED'],
  [400, 'write', null],
  [401, 'write', null],
  [413, 'write', null],
  [429, 'write', null],
  [500, 'write', 'FAILED'],
  [503, 'write', null],
] as const)('%i of a %s leaves %s', (status, kind, wanted) =>
  expect(traceOf(status, kind)).toBe(wanted),
)

test('sessions of others up to the own rank may be ended', () => {
  expect(kickProblem({ rank: 60 }, { rank: 60, current: false })).toBeNull()
  expect(kickProblem({ rank: 60 }, { rank: 40, current: false })).toBeNull()
  expect(kickProblem({ rank: 60 }, { rank: 70, current: false })).toBe('higherRank')
  expect(kickProblem({ rank: 60 }, { rank: 60, current: true })).toBe('ownSession')
  expect(moduleOf('orders.refund')).toBe('orders')
})
