import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type JobQueue, openJobs } from '../../../server/jobs.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
const open: JobQueue[] = []
const another = () => {
  const queue = openJobs(() => world.app)
  open.push(queue)
  return queue
}
let runs = 0
let bad = false
const work = async () => {
  runs += 1
  if (bad) throw new Error('went wrong')
}
beforeAll(async () => {
  world = await openWorld()
  // no minute of the test fits
  await another().schedule('test-nightly', '59 23 31 12 *', work)
})
afterAll(async () => {
  for (const queue of open) await queue.close()
  await world.close()
})
const press = (verb: string, user = 'super', name = 'test-nightly') =>
  world.as(user)('POST', `/job-console/${name}/${verb}`, {})
const shown = async () => (await world.as('super')('GET', '/job-console')).body.schedules[0]
const due = (attempts = 0) =>
  world.sql(`update job_schedules set next_at = $1, attempts = $2`, [world.clock.now, attempts])
const until = async (what: () => Promise<boolean>) => {
  for (let i = 0; i < 150 && !(await what()); i += 1) await wait(100)
  expect(await what()).toBe(true)
}

test('only for who may', async () => {
  expect((await world.as('operator')('GET', '/job-console')).body.code).toBe(403001)
  expect((await press('pause', 'operator')).body.code).toBe(403001)
  expect((await press('pause', 'super', 'nobody')).body.message).toBe('任务不存在')
  expect((await press('run', 'super', 'nobody')).status).toBe(404)
  expect((await press('run', 'super', 'x;drop')).status).toBe(400)
})
test('runs now; its last run and its next one are told', async () => {
  expect(await shown()).toMatchObject({
    name: 'test-nightly',
    cron: '59 23 31 12 *',
    paused: false,
    lastState: null,
  })
  expect((await shown()).nextRun).toMatch(/-12-31T15:59:00/)
  expect((await press('run')).body).toEqual({ ok: true })
  await until(async () => (await shown()).lastState === 'DONE')
  expect(runs).toBe(1)
  expect(
    await world.sql(
      `select content from operation_logs where action = 'jobs.runNow' and level = 'INFO'`,
    ),
  ).toEqual([{ content: '立即运行定时任务：test-nightly' }])
}, 20_000)
test('a pause holds for every process and over restarts; a person can still run it', async () => {
  await press('pause')
  expect(await shown()).toMatchObject({ paused: true, pausedBy: 'super' })
  const second = another()
  await second.schedule('test-nightly', '59 23 31 12 *', work)
  runs = 0
  // as the clock would do it
  await due()
  await until(async () => (await shown()).lastState === 'DONE' && (await shown()).waiting === 0)
  expect(runs).toBe(0)
  await press('run')
  await until(async () => runs === 1)
  await press('resume')
  expect(await shown()).toMatchObject({ paused: false, pausedBy: null })
  await due()
  await until(async () => runs === 2)
}, 40_000)
test('what failed is shown and run again', async () => {
  bad = true
  // its last try
  await due(3)
  await until(async () => (await shown()).failed === 1)
  expect(await shown()).toMatchObject({ lastState: 'FAILED', lastError: 'went wrong' })
  bad = false
  expect((await press('retry')).body).toEqual({ count: 1 })
  await until(async () => (await shown()).failed === 0 && (await shown()).lastState === 'DONE')
  expect((await press('retry')).body).toEqual({ count: 0 })
}, 30_000)
test('loops tell their pulse', async () => {
  const queue = another()
  queue.every('test-loop', 20, async () => {
    if (Math.random() < 2) throw new Error('each time')
  })
  await until(async () => (await world.as('super')('GET', '/job-console')).body.loops.length === 1)
  const [loop] = (await world.as('super')('GET', '/job-console')).body.loops
  expect(loop).toMatchObject({ name: 'test-loop', everyMs: 20, lastError: 'each time' })
  expect(loop.failures).toBe(loop.runs)
}, 20_000)
