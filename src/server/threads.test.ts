import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { Overrun, openThreads } from './threads.ts'

type Test = {
  double: (n: number) => number
  spin: () => void
  hoard: () => void
  fail: () => void
  late: () => void
  id: () => number
  parse: () => void
  env: () => string[]
}
const main = new URL('./threadMain.ts', import.meta.url).href
const code = `import { threadId } from 'node:worker_threads'; import { serveThread } from '${main}';
serveThread({ double: (n) => 2 * n, spin: () => { for (;;); }, fail: () => { throw new RangeError('no') }, id: () => threadId || process.pid, env: () => Object.keys(process.env),
  parse: () => void JSON.parse('[' + '{"a":1},'.repeat(8e6) + '1]'), late: () => void setTimeout(() => { throw new Error('after its answer') }, 50),
  hoard: () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)) } })`
const dir = mkdtempSync(join(tmpdir(), 'huodao-threads-'))
writeFileSync(join(dir, 'work.mjs'), code)
afterAll(() => rmSync(dir, { recursive: true }))

describe.each([false, true])('apart: %s', (apart) => {
  const open = (seconds = 5) =>
    openThreads<Test>(
      apart
        ? pathToFileURL(join(dir, 'work.mjs'))
        : new URL(`data:text/javascript,${encodeURIComponent(code)}`),
      {
        threads: 1,
        waiting: 2,
        seconds,
        megabytes: 32,
        ...(apart ? { apart } : {}),
      },
    )

  test('work runs elsewhere, one after the other, in a thread that stays', async () => {
    const run = open()
    expect(await run('double', 21)).toBe(42)
    const ids = [await run('id', undefined), await run('id', undefined)]
    expect(ids[0]).toBeGreaterThan(0)
    expect(ids[1]).toBe(ids[0])
    await expect(run('fail', undefined)).rejects.toThrow('no')
    await run('late', undefined)
    await new Promise((resolve) => setTimeout(resolve, 200))
    // on a busy machine its end is noticed later, and what comes just before it ends with it
    await expect.poll(() => run('double', 4).catch(() => 0)).toBe(8)
  })

  test('what waits is bounded', async () => {
    const run = open()
    const settled = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => run('double', n)))
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(settled[4]).toMatchObject({ reason: { def: { code: 503001 } } })
  })

  test('work that never ends or takes all memory is ended, and the next goes on in a fresh thread', async () => {
    const run = open(1)
    const [spun, next] = await Promise.allSettled([run('spin', undefined), run('double', 1)])
    expect([spun.status === 'rejected' && spun.reason, next]).toEqual([
      expect.any(Overrun),
      { status: 'fulfilled', value: 2 },
    ])
    const hoarding = open(20)
    await expect(hoarding('hoard', undefined)).rejects.toThrow(Overrun)
    expect(await hoarding('double', 2)).toBe(4)
    const stop = new AbortController()
    const stopped = hoarding('spin', undefined, { signal: stop.signal })
    stop.abort()
    await expect(stopped).rejects.toThrow()
  })
})

test('memory that runs out where V8 cannot unwind ends what is apart, and this process goes on; nothing of its environment is there', async () => {
  const run = openThreads<Test>(pathToFileURL(join(dir, 'work.mjs')), {
    threads: 1,
    waiting: 2,
    seconds: 30,
    megabytes: 64,
    apart: true,
  })
  expect(await run('env', undefined)).toEqual([])
  await expect(run('parse', undefined)).rejects.toThrow(Overrun)
  expect(await run('double', 2)).toBe(4)
})
