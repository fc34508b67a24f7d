import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { openApp } from '../apps/app.ts'
import { closeApp } from './app.ts'
import { noScope } from './database.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

test('health answers while screens and writes hold every connection', async () => {
  const { database } = api.app
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const hold = Array.from({ length: 40 }, (_, n) =>
    n % 2 ? database.transact(noScope, () => held) : database.read(noScope, () => held),
  )
  const late = new Promise((resolve) => setTimeout(resolve, 5000, 'late'))
  const asked = Array.from({ length: 50 }, () =>
    api.http.inject({ url: '/health' }).then(({ statusCode }) => statusCode),
  )
  const answers = await Promise.race([Promise.all(asked), late])
  letGo()
  await Promise.all([...hold, ...asked])
  expect(answers).toEqual(Array(50).fill(200))
})

test('work that somebody waits for starts at once in the process that does it', async () => {
  const worker = await openApp(api.app.config, 'worker')
  let [runs, told] = [0, (_runs: number) => {}]
  worker.jobs.every('test-loop', 60_000, async () => {
    runs += 1
    told(runs)
  })
  const late = new Promise<string>((resolve) => setTimeout(resolve, 5000, 'late'))
  const again = new Promise<number>((resolve) => {
    told = (n) => n > first && resolve(n)
  })
  await new Promise((resolve) => setTimeout(resolve, 300))
  const first = runs
  api.app.jobs.poke('test-loop')
  expect(await Promise.race([again, late])).toBe(first + 1)
  await closeApp(worker)
})
