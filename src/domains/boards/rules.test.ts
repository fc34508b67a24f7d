import { expect, test } from 'vitest'
import { boardErrors } from './contract.ts'
import {
  bindRule,
  codeRule,
  fingerprint,
  ownerRule,
  placeFor,
  simState,
  statusOf,
  useRule,
} from './rules.ts'

test.each([
  [{ deviceId: null, disabled: false }, 'UNBOUND'],
  [{ deviceId: 1, disabled: false }, 'BOUND'],
  [{ deviceId: 1, disabled: true }, 'DISABLED'],
  [{ deviceId: null, disabled: true }, 'DISABLED'],
])('%o is %s', (board, status) => expect(statusOf(board)).toBe(status))

test.each([
  [null, null],
  ['2026-11-20', 'EXPIRED'],
  ['2026-11-21', 'SOON'],
  ['2026-12-21', 'SOON'],
  ['2026-12-22', 'FINE'],
])('a SIM until %s is %s', (day, state) => expect(simState(day, '2026-11-21')).toBe(state))

const free = { deviceId: null, disabled: false }
const device = { id: 1, lifecycle: 'OPERATING' }
test.each([
  [free, device, true, null],
  [{ ...free, deviceId: 1 }, device, true, null],
  [{ ...free, deviceId: 2 }, device, true, boardErrors.boardTaken],
  [{ ...free, disabled: true }, device, true, boardErrors.boardDisabled],
  [free, device, false, boardErrors.elsewhere],
  [free, { ...device, lifecycle: 'SOLD' }, true, boardErrors.deviceClosed],
  [free, { ...device, lifecycle: 'STOCK' }, true, null],
])('%o into %o (handed down: %s)', (board, machine, down, error) =>
  expect(bindRule(board, machine, down)).toBe(error),
)
test('no code for a machine that is gone', () =>
  expect([codeRule({ lifecycle: 'SCRAPPED' }), codeRule({ lifecycle: 'PAUSED' })]).toEqual([
    boardErrors.deviceClosed,
    null,
  ]))

const now = new Date('2026-11-21T06:00:00Z')
const code = { usedAt: null, revokedAt: null, expiresAt: new Date('2026-11-21T06:00:01Z') }
test.each([
  [code, null],
  [undefined, boardErrors.codeInvalid],
  [{ ...code, usedAt: now }, boardErrors.codeInvalid],
  [{ ...code, revokedAt: now }, boardErrors.codeInvalid],
  [{ ...code, expiresAt: now }, boardErrors.codeInvalid],
])('code %o', (given, error) => expect(useRule(given, now)).toBe(error))
test('owners and fingerprints', () => {
  expect([ownerRule('AGENT'), ownerRule('SCHOOL')]).toEqual([null, boardErrors.ownerKind])
  expect([
    fingerprint(null),
    fingerprint(Buffer.from('x')),
    fingerprint(Buffer.alloc(32, 0xab)),
  ]).toEqual(['', '', 'abab abab abab abab'])
})

const taken = (addresses: string) =>
  new Map([...addresses].map((address, i) => [`B${i}`, { address }]))
test.each([
  ['', 'x', null],
  // the one that holds most gives way, its youngest first
  ['aaab', 'b', 'B2'],
  ['aaab', 'c', 'B2'],
  // he is the one, or as many as he would be
  ['aaab', 'a', null],
  ['aabb', 'b', null],
  ['aab', 'b', null],
  ['abc', 'd', null],
])('of %s a newcomer from %s takes the place of %s', (addresses, from, place) =>
  expect(placeFor(taken(addresses), from)).toBe(place),
)
