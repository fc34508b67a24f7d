import { expect, test } from 'vitest'
import { openConnectionGuard } from './connectionGuard.ts'

const limits = { silent: 5, silentInAll: 100, refusals: 1, refusalBurst: 3, knocks: 1 }

test('ever other addresses are forgotten one by one, and who was refused lately stays known', () => {
  const door = openConnectionGuard(limits)
  for (let n = 0; n < 60_000; n += 1) {
    if (n % 10_000 === 0) for (let tries = 0; tries < 5; tries += 1) door.refused('guesser')
    door.arrive(`2001:db8:${n}::/64`, () => {})?.spoke()
  }
  door.arrive('guesser', () => {})
  expect(
    door.arrive('guesser', () => {}),
    'tokens and the one knock are gone',
  ).toBeNull()
}, 5000)
