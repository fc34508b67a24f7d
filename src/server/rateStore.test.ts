import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { buildApi } from '../apps/api.ts'
import { openCounts } from './rateStore.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
})
afterAll(async () => {
  vi.useRealTimers()
  await api?.close()
})

test('whoever asked before the clock was set back may ask a second later, everywhere', async () => {
  const config = { ...api.app.config, rateLimit: 5, signInRateLimit: 2 }
  const http = await buildApi({ ...api.app, config }, '/nowhere')
  const ask = async (times: number, method: 'GET' | 'POST' = 'GET') => {
    const answers = []
    for (let n = 0; n < times; n++)
      answers.push(
        (
          await http.inject({
            method,
            url: method === 'GET' ? '/auth/methods' : '/auth/undo',
            payload: {},
          })
        ).statusCode,
      )
    return answers.filter((status) => status === 429).length
  }
  expect([await ask(4), await ask(2, 'POST')]).toEqual([0, 0])
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(1000)
  expect([await ask(7), await ask(1, 'POST')]).toEqual([2, 1])
  vi.advanceTimersByTime(1000)
  expect(await ask(5)).toBe(0)
  vi.advanceTimersByTime(60_000)
  expect(await ask(2, 'POST')).toBe(0)
  await http.close()
})

test('counts are bounded and forgotten when their window is over', () => {
  const counts = openCounts(3)
  const incr = (key: string) => {
    let said: unknown
    counts.incr(key, (_, result) => (said = result?.current), 1000, 9)
    return said
  }
  expect([...'abcdd'].map(incr)).toEqual([1, 1, 1, 1, 2])
  expect([counts.size(), incr('a'), incr('c')]).toEqual([3, 1, 2])
  vi.advanceTimersByTime(1000)
  expect([incr('c'), counts.size()]).toEqual([1, 1])
})
