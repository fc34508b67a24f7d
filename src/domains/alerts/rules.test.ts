import { describe, expect, test } from 'vitest'
import { type AlertKind, alertKinds } from './contract.ts'
import {
  alertLimits,
  type Cause,
  clusters,
  decide,
  type Fact,
  inWindow,
  type Known,
  type Member,
  type RuleOf,
  type State,
  sendTime,
  usualRules,
} from './rules.ts'

const minute = 60_000
const now = Date.parse('2026-11-21T06:00:00Z')
const usual: RuleOf = (_, kind) => ({ enabled: true, threshold: usualRules[kind].threshold })
const off =
  (...kinds: AlertKind[]): RuleOf =>
  (org, kind) => ({ ...usual(org, kind), enabled: !kinds.includes(kind) })

const away = (
  deviceId: number,
  minutesAgo: number,
  more: { county?: string; carrier?: string | null; cause?: Cause; orgId?: number } = {},
): Fact => ({
  orgId: more.orgId ?? 3,
  deviceId,
  kind: more.cause === 'POWER_FAIL' ? 'POWER_FAIL' : 'OFFLINE',
  subject: '',
  since: now - minutesAgo * minute,
  urgent: false,
  data: {},
  mayOpen: true,
  away: {
    county: more.county ?? '440305',
    carrier: more.carrier ?? null,
    cause: more.cause ?? 'TIMEOUT',
  },
})
const fact = (kind: AlertKind, more: Partial<Fact> = {}): Fact => ({
  orgId: 3,
  deviceId: 1,
  kind,
  subject: '',
  since: now - minute,
  urgent: false,
  data: {},
  mayOpen: true,
  ...more,
})
const known = (more: Partial<Known>): Known => ({
  id: 7,
  orgId: 3,
  deviceId: 1,
  kind: 'FAULT',
  subject: '',
  open: true,
  closedAt: 0,
  reason: null,
  present: true,
  ...more,
})
const group = (more: Partial<Known> = {}): Known =>
  known({ id: 9, deviceId: null, kind: 'AREA_OFFLINE', subject: '440305', ...more })
const member = (deviceId: number, minutesAgo: number, back = false): Member => ({
  alertId: 9,
  deviceId,
  since: now - minutesAgo * minute,
  back,
})
const run = (state: Partial<State>) =>
  decide({ now, facts: [], known: [], members: [], ruleOf: usual, openHours: () => true, ...state })
const seven = (minutesAgo: number) => [1, 2, 3, 4, 5, 6, 7].map((id) => away(id, minutesAgo))

describe('alerts of one machine', () => {
  test.each<
    [string, Partial<State>, { opens?: string[]; again?: (number | null)[]; closes?: string[] }]
  >([
    ['offline not long enough', { facts: [away(1, 9)] }, {}],
    ['offline long enough', { facts: [away(1, 10)] }, { opens: ['OFFLINE'] }],
    [
      'a power failure has its own name',
      { facts: [away(1, 10, { cause: 'POWER_FAIL' })] },
      { opens: ['POWER_FAIL'] },
    ],
    ['closed hours', { facts: [away(1, 60)], openHours: () => false }, {}],
    [
      'hours are those of each machine',
      { facts: [away(1, 60), away(2, 60)], openHours: ({ deviceId }) => deviceId === 2 },
      { opens: ['OFFLINE'] },
    ],
    [
      'closed hours do not silence a fault',
      { facts: [fact('FAULT')], openHours: () => false },
      { opens: ['FAULT'] },
    ],
    ['an open one is not opened again', { facts: [fact('FAULT')], known: [known({})] }, {}],
    ['a door for nine minutes', { facts: [fact('DOOR_OPEN', { since: now - 9 * minute })] }, {}],
    [
      'a door for ten minutes',
      { facts: [fact('DOOR_OPEN', { since: now - 10 * minute })] },
      { opens: ['DOOR_OPEN'] },
    ],
    [
      'a door of a machine that is away',
      { facts: [fact('DOOR_OPEN', { since: now - 20 * minute, mayOpen: false })] },
      {},
    ],
    ['rule off: nothing opens', { facts: [fact('FAULT')], ruleOf: off('FAULT') }, {}],
    [
      'rule off: an open one goes',
      { facts: [fact('FAULT')], known: [known({})], ruleOf: off('FAULT') },
      { closes: ['DROPPED'] },
    ],
    ['the fact is over', { known: [known({})] }, { closes: ['RECOVERED'] }],
    ['the machine was sold', { known: [known({ present: false })] }, { closes: ['DROPPED'] }],
    [
      'another subject is another alert',
      { facts: [fact('FAULT', { subject: 'A' })], known: [known({ subject: 'B' })] },
      { opens: ['FAULT'], closes: ['RECOVERED'] },
    ],
    [
      'flapping: the same one',
      {
        facts: [fact('FAULT')],
        known: [known({ open: false, closedAt: now - 10 * minute, reason: 'RECOVERED' })],
      },
      { opens: ['FAULT'], again: [7] },
    ],
    [
      'flapping no more',
      {
        facts: [fact('FAULT')],
        known: [known({ open: false, closedAt: now - 11 * minute, reason: 'RECOVERED' })],
      },
      { opens: ['FAULT'], again: [null] },
    ],
    [
      'closed by hand while it lasts',
      { facts: [fact('FAULT')], known: [known({ open: false, closedAt: now, reason: 'HANDLED' })] },
      {},
    ],
    [
      'closed by hand, and it comes anew',
      {
        facts: [fact('FAULT')],
        known: [known({ open: false, closedAt: now - 2 * minute, reason: 'HANDLED' })],
      },
      { opens: ['FAULT'], again: [null] },
    ],
  ])('%s', (_, state, { opens = [], again, closes = [] }) => {
    const plan = run(state)
    expect({
      opens: plan.opens.map((open) => open.kind),
      closes: plan.closes.map((close) => close.reason),
    }).toEqual({ opens, closes })
    if (again) expect(plan.opens.map((open) => open.again)).toEqual(again)
  })
})

describe('one alert, not forty', () => {
  const shape = (facts: Fact[], ruleOf = usual) =>
    clusters(facts, ruleOf).map((c) => [c.orgId, c.kind, c.subject, c.members.length])
  const many = (n: number, from: number, more: Parameters<typeof away>[2], spread = 0) =>
    Array.from({ length: n }, (_, i) => away(from + i, 30 - (spread * i) / n, more))
  test.each<[string, Fact[], unknown[]]>([
    ['four are four', many(4, 1, {}), []],
    ['five of a county', many(5, 1, {}), [[3, 'AREA_OFFLINE', '440305', 5]]],
    ['five within too long', [0, 1, 2, 3, 4].map((i) => away(i, 30 - i * 0.51)), []],
    [
      'a slow row of windows is one',
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => away(i, 30 - i * 0.5)),
      [[3, 'AREA_OFFLINE', '440305', 9]],
    ],
    [
      'two organisations are two',
      [...many(5, 1, {}), ...many(5, 11, { orgId: 4 })],
      [
        [3, 'AREA_OFFLINE', '440305', 5],
        [4, 'AREA_OFFLINE', '440305', 5],
      ],
    ],
    [
      'a carrier in ten counties',
      Array.from({ length: 10 }, (_, i) => away(i, 30, { county: `44030${i}`, carrier: 'CMCC' })),
      [[3, 'CARRIER_OFFLINE', 'CMCC', 10]],
    ],
    [
      'a carrier is larger than its counties',
      [...many(20, 1, { carrier: 'CMCC' }), ...many(20, 31, { carrier: 'CMCC', county: '440304' })],
      [[3, 'CARRIER_OFFLINE', 'CMCC', 40]],
    ],
    ['a county wins a tie', many(6, 1, { carrier: 'CMCC' }), [[3, 'AREA_OFFLINE', '440305', 6]]],
    [
      'a power failure is never a carrier',
      [0, 1, 2, 3, 4].map((i) =>
        away(i, 30, { county: `44030${i}`, carrier: 'CMCC', cause: 'POWER_FAIL' }),
      ),
      [],
    ],
    [
      'two times of a day are two',
      [...many(5, 1, {}), ...many(5, 11, {}).map((f) => ({ ...f, since: f.since - 60 * minute }))],
      [
        [3, 'AREA_OFFLINE', '440305', 5],
        [3, 'AREA_OFFLINE', '440305', 5],
      ],
    ],
  ])('%s', (_, facts, expected) => {
    expect(shape(facts)).toEqual(expected)
  })
  test('a rule that is off gathers nothing', () => {
    expect(shape(many(5, 1, {}), off('AREA_OFFLINE'))).toEqual([])
  })

  test('they open as one with every machine, before any would alone', () => {
    const plan = run({ facts: seven(4) })
    expect(plan.opens.map((open) => [open.kind, open.deviceId, open.members.length])).toEqual([
      ['AREA_OFFLINE', null, 7],
    ])
  })
  test('while they gather, none of them opens alone, however impatient its rule', () => {
    expect(
      run({
        facts: seven(2.5),
        ruleOf: (org, kind) =>
          kind === 'OFFLINE' ? { enabled: true, threshold: 2 } : usual(org, kind),
      }).opens,
    ).toEqual([])
  })
  test('an alert of one that is there already is taken in', () => {
    const plan = run({ facts: seven(4), known: [known({ kind: 'OFFLINE' })] })
    expect(plan.closes).toMatchObject([{ id: 7, reason: 'MERGED' }])
  })
  test('members are silent, late ones join, those of another county or much later do not', () => {
    const late = [away(8, 3), away(9, 3, { county: '440304' })]
    const plan = run({
      facts: [...seven(12), ...late],
      known: [group()],
      members: seven(12).map((f) => member(f.deviceId, 12)),
    })
    expect(plan.joins.map((join) => [join.fact.deviceId, join.told])).toEqual([[8, false]])
    expect(plan.opens).toEqual([])
    const later = run({
      facts: [...seven(40), away(8, 12)],
      known: [group()],
      members: seven(40).map((f) => member(f.deviceId, 40)),
    })
    expect([later.joins, later.opens.map((open) => [open.kind, open.deviceId])]).toEqual([
      [],
      [['OFFLINE', 8]],
    ])
  })
  test('it stays while one is away and closes with the last', () => {
    const members = [member(1, 30), member(2, 30), member(3, 30, true)]
    const half = run({ facts: [away(1, 30)], known: [group()], members })
    expect([half.backs, half.closes]).toMatchObject([[{ alertId: 9, deviceId: 2 }], []])
    expect(run({ known: [group()], members }).closes).toMatchObject([
      { id: 9, reason: 'RECOVERED' },
    ])
  })
  test('a member that was back between two looks is away again', () => {
    const plan = run({ facts: [away(1, 1)], known: [group()], members: [member(1, 90)] })
    expect(plan.joins.map((join) => [join.fact.deviceId, join.fact.since])).toEqual([
      [1, now - minute],
    ])
    expect([plan.opens, plan.closes]).toEqual([[], []])
  })
  test('closed by hand: its machines stay silent until they were back', () => {
    const members = seven(30).map((f) => member(f.deviceId, 30))
    expect(
      run({
        facts: seven(30),
        known: [group({ open: false, reason: 'HANDLED', closedAt: now - minute })],
        members,
      }).opens,
    ).toEqual([])
    expect(
      run({
        facts: seven(12),
        known: [group({ open: false, reason: 'HANDLED', closedAt: now - 20 * minute })],
        members,
      }).opens,
    ).toHaveLength(1)
  })
  test('a second crowd while the first lasts joins it and is told', () => {
    const second = [11, 12, 13, 14, 15].map((id) => away(id, 3))
    const plan = run({
      facts: [away(1, 90), ...second],
      known: [group()],
      members: [member(1, 90)],
    })
    expect([plan.opens, plan.closes, plan.joins.map((join) => join.told)]).toEqual([
      [],
      [],
      [true, true, true, true, true],
    ])
  })
  test('the same crowd within ten minutes counts up', () => {
    expect(
      run({
        facts: seven(3),
        known: [group({ open: false, reason: 'RECOVERED', closedAt: now - 5 * minute })],
      }).opens.map((open) => open.again),
    ).toEqual([9])
  })
})

describe('times', () => {
  const at = (clock: string) => Date.parse(`2026-11-21T${clock}:00+08:00`)
  test.each([
    ['08:00', '06:00', '23:00', true],
    ['05:59', '06:00', '23:00', false],
    ['23:00', '06:00', '23:00', false],
    ['23:30', '22:00', '07:00', true],
    ['06:59', '22:00', '07:00', true],
    ['07:00', '22:00', '07:00', false],
  ])('%s in %s to %s is %s', (clock, from, to, expected) =>
    expect(inWindow(at(clock), { from, to })).toBe(expected),
  )

  const night = { quietFrom: '22:00', quietTo: '07:00', urgentThrough: true }
  test.each<[string, Parameters<typeof sendTime>[1], boolean, string]>([
    ['12:00', night, false, '2026-11-21T12:00:00+08:00'],
    ['23:00', night, false, '2026-11-22T07:00:00+08:00'],
    ['03:00', night, false, '2026-11-21T07:00:00+08:00'],
    ['03:00', night, true, '2026-11-21T03:00:00+08:00'],
    ['03:00', { ...night, urgentThrough: false }, true, '2026-11-21T07:00:00+08:00'],
    [
      '03:00',
      { quietFrom: null, quietTo: null, urgentThrough: false },
      false,
      '2026-11-21T03:00:00+08:00',
    ],
  ])('at %s with %o, urgent %s, a message leaves at %s', (clock, channel, urgent, expected) => {
    expect(new Date(sendTime(at(clock), channel, urgent)).toISOString()).toBe(
      new Date(expected).toISOString(),
    )
  })
  test('a message is tried again after 1, 5 and 30 minutes', () =>
    expect(alertLimits.retries).toEqual([1, 5, 30]))
  test('every kind has a usual rule inside its own range', () => {
    for (const kind of alertKinds) {
      const { threshold, min, max } = usualRules[kind]
      expect([kind, threshold === null || (threshold >= min && threshold <= max)]).toEqual([
        kind,
        true,
      ])
    }
    expect(alertLimits.together).toBe(5)
  })
})
