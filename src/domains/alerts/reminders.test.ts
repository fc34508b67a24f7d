import { describe, expect, test } from 'vitest'
import { timings } from '../settings/kinds.ts'
import type { AlertKind } from './contract.ts'
import { dueReminders, remindEvery } from './reminders.ts'

describe('reminders', () => {
  const now = 100 * 60_000
  const open = (id: number, minutesAgo: number, orgId = 3, kind: AlertKind = 'FAULT') => ({
    id,
    orgId,
    deviceId: id,
    kind,
    lastAt: now - minutesAgo * 60_000,
  })
  const due = (alerts: ReturnType<typeof open>[], every: number | null = 30, hours = true) =>
    dueReminders(
      now,
      alerts,
      (orgId) => (orgId === 3 ? every && every * 60_000 : null),
      ({ deviceId }) => hours || deviceId === 77,
    )
  test.each<[string, ReturnType<typeof open>[], number[]]>([
    ['nothing is due', [open(1, 29.9), open(2, 25)], []],
    ['one is, those nearly so come along', [open(1, 30), open(2, 23), open(3, 22)], [1, 2]],
    [
      'what has two weeks comes once a day',
      [open(1, 31), open(2, 1000, 3, 'SIM_EXPIRING'), open(3, 1100, 3, 'SIM_EXPIRING')],
      [1, 3],
    ],
    ['the setting of another organisation is its own', [open(1, 500, 4), open(2, 31)], [2]],
  ])('%s', (_, alerts, ids) => expect(due(alerts)).toEqual(ids))
  test('never is never', () => expect(due([open(1, 9999)], null)).toEqual([]))
  test.each<[AlertKind, boolean]>([
    ['OFFLINE', false],
    ['POWER_FAIL', false],
    ['AREA_OFFLINE', false],
    ['CARRIER_OFFLINE', false],
    ['SIM_EXPIRING', false],
    ['FAULT', true],
    ['TEMPERATURE', true],
    ['DOOR_OPEN', true],
  ])('outside of business hours %s reminds: %s', (kind, told) =>
    expect(due([open(1, 1500, 3, kind)], 30, false)).toEqual(told ? [1] : []),
  )
  test('a machine with hours of its own follows these', () =>
    expect(due([open(1, 40, 3, 'OFFLINE'), open(77, 40, 3, 'OFFLINE')], 30, false)).toEqual([77]))
  test('every choice of the setting has an interval', () =>
    expect(Object.keys(remindEvery)).toEqual(Object.keys(timings)))
})
