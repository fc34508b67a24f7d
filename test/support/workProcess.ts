import { openApp } from '../../src/apps/app.ts'
import { closeApp } from '../../src/server/app.ts'
import { runDue } from '../../src/server/work.ts'
import { testConfig } from './api.ts'
import { calls, testKind } from './workKind.ts'

/** A worker to be killed: does what is due of the test's kind, once. */
const [, , databaseUrl = '', dataDir = '', url = ''] = process.argv
const app = await openApp(testConfig(databaseUrl, dataDir), 'worker')
await runDue(app, testKind(calls(url)))
await closeApp(app)
