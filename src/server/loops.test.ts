import { expect, test } from 'vitest'
import type { App } from './context.ts'
import { openLoops } from './loops.ts'

test('a loop whose name another has is refused, and the other goes on', () => {
  const { add, poke } = openLoops(() => ({}) as App)
  let runs = 0
  const pulse = {
    ...{ everyMs: 1000, runs: 0, failures: 0, lastAt: null, lastMs: null },
    ...{ lastError: '', lastErrorAt: null },
  }
  const run = () => {
    runs += 1
  }
  const loop = { run, stop: async () => {}, pulse }
  add('split-dues', loop)
  expect(() => add('split-dues', { ...loop, run: () => {} })).toThrow('split-dues')
  poke('split-dues')
  expect(runs).toBe(1)
})
