import type { App } from '../server/context.ts'
import { registerMachineJobs } from './machines/server/jobs.ts'
import { registerOrderJobs } from './orders/server/jobs.ts'

/** Background work of every domain, one line per domain. */
export const jobs: readonly ((app: App) => Promise<void>)[] = [registerMachineJobs, registerOrderJobs]
