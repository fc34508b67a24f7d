import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { createHandlers } from '../../src/domains/orders/server/create.ts'
import { applyPayment } from '../../src/domains/orders/server/verbs.ts'
import type { App } from '../../src/server/context.ts'
import { bySystem } from '../../src/server/run.ts'

/** What benchmarks with machines share: a sale, the process of the machines, a pulse. */

type Answer = Record<string, number> & { acked: number | [string, number[]][] }
export function ask(child: ChildProcess, message: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer: Answer & { failed?: string }) =>
      answer.failed ? reject(new Error(answer.failed)) : resolve(answer),
    )
    child.send(message)
  })
}

/** Orders and pays one piece, by the verbs that the calls of customers run. */
export async function sell(app: App, rtuNumber: string, roadIndex: number): Promise<void> {
  const order = await bySystem(app, (ctx) =>
    createHandlers.mobileOrder(ctx, {
      rtuNumber,
      items: [{ roadIndex, count: 1, price: 300 }],
      payType: 'WECHAT',
      clientId: randomUUID(),
      consumer: '',
    }),
  )
  await bySystem(app, async (ctx) => {
    const payment = await ctx.db
      .selectFrom('payments')
      .select(['id', 'org_id', 'order_id', 'order_at', 'order_num'])
      .where('out_trade_no', '=', order.outTradeNo)
      .executeTakeFirstOrThrow()
    await applyPayment(ctx, payment as Parameters<typeof applyPayment>[1], { orderPaid: true })
    await ctx.db
      .updateTable('payments')
      .set({ state: 'SUCCESS', applied: true, paid_at: ctx.now })
      .where('id', '=', payment.id)
      .execute()
  })
}

/** Asks ten times a second until it is called; answers how it went. */
export function pulseOf(
  url: string,
  token: string,
): () => Promise<{ p50: number; p99: number; max: number; count: number; errors: number }> {
  const times: number[] = []
  const running: Promise<void>[] = []
  let errors = 0
  const timer = setInterval(() => {
    const start = performance.now()
    const asked = fetch(url, { headers: { authorization: token } }).then(
      async (response) => {
        await response.arrayBuffer()
        times.push(performance.now() - start)
        if (response.status !== 200) errors += 1
      },
      () => {
        errors += 1
      },
    )
    running.push(asked)
  }, 100)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
    times.sort((a, b) => a - b)
    const at = (share: number) =>
      times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
    return { p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? 0, count: times.length, errors }
  }
}
