import { openApp } from '../../src/apps/app.ts'
import { returnKind } from '../../src/domains/splits/server/returns.ts'
import { splitKind } from '../../src/domains/splits/server/send.ts'
import { closeApp } from '../../src/server/app.ts'
import { runDue } from '../../src/server/work.ts'
import { testConfig } from './api.ts'

/** A worker to be killed: asks WeChat Pay for the shares or returns that are due, once. */
const [, , databaseUrl = '', dataDir = '', base = '', what, now = ''] = process.argv
const config = testConfig(databaseUrl, dataDir, { WECHAT_PAY_BASE: base })
const app = await openApp(config, 'worker', () => new Date(now))
if (what === 'split') await runDue(app, splitKind(app))
else await runDue(app, returnKind(app))
await closeApp(app)
