import type pg from 'pg'
import { recordControls } from '../../src/domains/device-commands/server/gateway.ts'
import { limits } from '../../src/domains/machines/rules.ts'
import type { Fact } from '../../src/domains/machines/server/facts.ts'
import { openIntake } from '../../src/domains/machines/server/intake.ts'
import { recordVend } from '../../src/domains/orders/server/vend.ts'
import type { App } from '../../src/server/context.ts'
import { type Measured, measured } from './cpu.ts'

/** Results of prepared vends as fast as the batches of the gateway take them. */
export async function saturate(
  app: App,
  owner: pg.Client,
  facts: readonly Fact[],
): Promise<Measured> {
  const intake = openIntake(
    app,
    { ...limits, burst: 1e9 },
    { vends: recordVend, controls: recordControls },
  )
  intake.answerOver({
    send: () => true,
    connected: () => [],
    recheck: async () => {},
    stop: async () => {},
  })
  return measured(owner, async () => {
    for (const { machine, up } of facts)
      await intake.receive(
        machine,
        'vend_result',
        Buffer.from(JSON.stringify({ boot: up.boot, seq: up.seq, ts: up.ts, ...up.body })),
      )
    await intake.drain(600_000)
    return facts.length
  })
}
