import { openApp } from '../../src/apps/app.ts'
import { moveStock } from '../../src/domains/stock/server/move.ts'
import { systemActor } from '../../src/server/context.ts'
import { act, systemCaller } from '../../src/server/run.ts'
import { testConfig } from './api.ts'

/** Takes goods of a recall out of a lane, and dies before anything behind its commit is done. */
const [, , databaseUrl = '', dataDir = '', laneId, change] = process.argv
const app = await openApp(testConfig(databaseUrl, dataDir), 'worker')
await act(app, systemCaller(systemActor), { audit: null, scope: 'system' }, async (ctx) => {
  ctx.afterCommit(() => void process.kill(process.pid, 'SIGKILL'))
  const taken = { change: Number(change), type: 'MERCHANT_WITHDRAW', reason: 'RECALL' } as const
  const flow = { ...taken, occurredAt: ctx.now, actorKind: 'SYSTEM' } as const
  await moveStock(ctx, [{ laneId: Number(laneId), flow }])
})
