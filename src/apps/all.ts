import { closeApp, openApp } from '../server/app.ts'
import { loadConfig } from '../server/config.ts'
import { exitWithParent, reportReady } from '../server/parentWatch.ts'
import { startApi } from './api.ts'
import { startGateway } from './gateway.ts'
import { startWorker } from './worker.ts'

/** The whole server in one process: what `npm start` runs. The three parts also run alone. */
const config = loadConfig(process.env)
const app = await openApp(config, 'huodao')
const parts = [await startApi(app), await startGateway(app), await startWorker(app)]
exitWithParent()
reportReady()

let stopping = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    void stop()
  })
}
async function stop(): Promise<void> {
  app.live.endStreams()
  for (const part of parts) await part.stop()
  await closeApp(app)
  process.exit(0)
}
