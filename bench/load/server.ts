import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * A process of the product of the checkout it is started in: `prepare` fills an empty database,
 * else the parts named (api, gateway, worker). Settings come from the environment; it ends with its
 * parent.
 */
const of = (file: string) => import(pathToFileURL(path.resolve('src', file)).href)
const parts = process.argv.slice(2)
const config = (await of('server/config.ts')).loadConfig(process.env)

if (parts.includes('prepare')) {
  await (await of('server/migrate.ts')).migrate(config.databaseUrl)
  // an older checkout knows the address by its other name
  await (await of('seed/index.ts')).install({
    databaseUrl: config.databaseUrl,
    ownerUrl: config.databaseUrl,
    config,
    log: () => {},
  })
  process.exit(0)
}
// an older checkout opens it from the platform's own file
const { openApp } = await of(existsSync('src/apps/app.ts') ? 'apps/app.ts' : 'server/app.ts')
const app = await openApp(config, parts.join('-'))
if (parts.includes('api')) await (await of('apps/api.ts')).startApi(app)
if (parts.includes('gateway')) await (await of('apps/gateway.ts')).startGateway(app)
if (parts.includes('worker')) await (await of('apps/worker.ts')).startWorker(app)
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
