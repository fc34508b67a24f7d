import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { demoPassword } from '../src/domains/accounts/seed.ts'
import { freePort } from '../test/support/freePort.ts'
import { pulseOf } from './gateway/shop.ts'
import { sizeOf, withScale } from './scale/database.ts'

/**
 * A simulation over all that an operator sold in 80 days, by the API and the worker as they run:
 * how long it reads, what memory the worker takes for it, and how soon progress and the word to stop
 * are answered meanwhile. `--orders 410000` are some 490,000 pieces, near the most that may be asked.
 */
const budget = { answerMs: 1000, memoryMb: 200, stopMs: 5000 }
const size = sizeOf({ orders: 100_000, machines: 300, operators: 1, days: 80, unsplit: 0 })

type Row = { id: number; state: string; done: number; total: number; version: number }
const port = String(await freePort())
const base = `http://127.0.0.1:${port}`

await withScale(size, { PORT: port, MQTT_PORT: String(await freePort()) }, async (filled) => {
  const { env, owner } = filled
  const run = (part: string) =>
    fork('src/apps/serve.ts', [part], { env: { ...process.env, ...env, DEMO: '0' } })
  const [api, worker] = [run('api'), run('worker')]
  await Promise.all([api, worker].map((child) => once(child, 'message')))
  let token = ''
  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(base + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const said = (await answer.json()) as T
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(said)}`)
    return said
  }
  const login = { username: 'super', password: demoPassword }
  token = (await call<{ token: string }>('/auth/login', login)).token
  const { rows } = await owner.query<{ id: string; from: string }>(
    `select s.id, (now() - interval '81 days')::date::text as from from split_strategies s
      join users u on u.org_id = s.org_id where u.username = 'scale002'`,
  )
  const asked = { strategyId: Number(rows[0]?.id), versionNo: 1, comparedNo: null }
  const path = '/api/finance/split-simulations'
  const create = () => call<Row>(path, { ...asked, from: rows[0]?.from })
  const get = (id: number) => call<Row>(`${path}/${id}`)
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, 'utf8'))?.[1]) / 1024

  await sleep(5000) // what begins with the worker is over
  const idle = memory()
  let most = idle
  const began = performance.now()
  let row = await create()
  const created = performance.now() - began
  const pulse = pulseOf(`${base}${path}/${row.id}`, token)
  const steps = new Set<number>()
  while (row.state === 'QUEUED' || row.state === 'RUNNING') {
    await sleep(100)
    most = Math.max(most, memory())
    row = await get(row.id)
    steps.add(row.done)
  }
  const took = performance.now() - began
  const asks = await pulse()
  console.log(
    `${row.state}: ${row.done} of ${row.total} pieces in ${(took / 1000).toFixed(1)} s (${Math.round((row.done * 1000) / took)} a second), counted and accepted in ${created.toFixed(0)} ms`,
  )
  console.log(
    `progress: ${steps.size} steps seen; asked ${asks.count} times, p50 ${asks.p50.toFixed(0)}, p99 ${asks.p99.toFixed(0)}, most ${asks.max.toFixed(0)} ms, ${asks.errors} errors`,
  )
  console.log(`memory of the worker: ${idle.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`)

  // one is stopped half-way; the next one begins as soon as the worker has found out
  const first = await create()
  while ((await get(first.id)).done === 0) await sleep(20)
  const next = await create()
  const stopped = performance.now()
  await call(`${path}/${first.id}/cancel`, {})
  const answered = performance.now() - stopped
  while ((await get(next.id)).state === 'QUEUED') await sleep(20)
  const freed = performance.now() - stopped
  const left = await get(first.id)
  await call(`${path}/${next.id}/cancel`, {})
  console.log(
    `stopped: answered in ${answered.toFixed(0)} ms, the next one began after ${freed.toFixed(0)} ms; ${left.state}`,
  )
  for (const child of [api, worker]) child.kill('SIGTERM')
  await Promise.all([api, worker].map((child) => once(child, 'exit')))
  const kept = [
    row.state === 'DONE' && row.done === row.total && left.state === 'CANCELLED',
    Math.max(asks.p99, answered) <= budget.answerMs && asks.errors === 0,
    most - idle <= budget.memoryMb,
    freed <= budget.stopMs,
  ]
  console.log(kept.every(Boolean) ? 'ok' : `FAIL ${kept}`)
  return kept.every(Boolean)
})
