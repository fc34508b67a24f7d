import { flushCompileCache } from 'node:module'
import { closeApp } from '../server/app.ts'
import { loadConfig } from '../server/config.ts'
import type { App } from '../server/context.ts'
import { exitWithParent, reportReady } from '../server/parentWatch.ts'
import type { Part } from './api.ts'
import { openApp } from './app.ts'

/** Each part loads only its own code. */
const parts: Readonly<Record<string, (app: App) => Promise<Part>>> = {
  api: async (app) => (await import('./api.ts')).startApi(app),
  gateway: async (app) => (await import('./gateway.ts')).startGateway(app),
  worker: async (app) => (await import('./worker.ts')).startWorker(app),
}

/**
 * The server: `node src/apps/serve.ts api`, `… gateway`, `… worker`, or several parts in one
 * process; `npm start` runs each on its own.
 */
const names = process.argv.slice(2)
const unknown = names.filter((name) => !parts[name])
if (unknown.length || !names.length)
  throw new Error(`Which parts? Some of: ${Object.keys(parts).join(', ')}.`)
const app = await openApp(loadConfig(process.env), names.join('+'))
const running: Part[] = []
for (const name of names) running.push((await parts[name]?.(app)) as Part)
exitWithParent()
reportReady()
// whoever is killed leaves it behind for the next start
flushCompileCache()

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
  for (const part of running) await part.stop()
  await closeApp(app)
  process.exit(0)
}
