import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { openApp } from '../apps/app.ts'
import { closeApp } from './app.ts'
import { keepSchedule, type Schedules, scheduleKind } from './schedules.ts'
import { runDue } from './work.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())
const due = (name: string) =>
  api.sql(`update job_schedules set next_at = now() - interval '1 minute' where name = $1`, [name])

test('a run that takes longer than its lease is nobody else’s to begin', async () => {
  const [one, other] = [
    await openApp(api.app.config, 'worker'),
    await openApp(api.app.config, 'worker'),
  ]
  let begun = 0
  const schedules: Schedules = new Map([
    [
      'test-long',
      {
        cron: '0 4 * * *',
        work: async () => {
          begun += 1
          await sleep(2500)
        },
      },
    ],
  ])
  const kind = (app: typeof one) => scheduleKind(() => app, schedules, 1)
  await keepSchedule(one, 'test-long', '0 4 * * *')
  await due('test-long')
  const run = runDue(one, kind(one))
  await sleep(2000)
  expect(await runDue(other, kind(other))).toBe(0)
  expect([await run, begun]).toEqual([1, 1])
  expect(
    await api.sql(
      `select state, attempts, next_at > now() as later from job_schedules
        where name = 'test-long'`,
    ),
  ).toEqual([{ state: 'DONE', attempts: 0, later: true }])
  for (const app of [one, other]) await closeApp(app)
}, 20_000)

test('a row of a schedule that this release does not know keeps nobody awake', async () => {
  const app = await openApp(api.app.config, 'worker')
  await app.jobs.schedule('test-known', '0 4 * * *', async () => {})
  await keepSchedule(app, 'test-removed', '0 4 * * *')
  await due('test-removed')
  await sleep(500)
  const looks = vi.spyOn(app.database, 'readSame')
  await sleep(2500)
  expect(looks.mock.calls.length).toBeLessThan(2)
  await closeApp(app)
}, 20_000)
