import type { App } from '../server/context.ts'
import { registerFirstPassword } from './accounts/server/firstPassword.ts'
import { registerAlertJobs } from './alerts/server/jobs.ts'
import { registerAuditJobs } from './audit/server/jobs.ts'
import { registerComplaintJobs } from './complaints/server/jobs.ts'
import { registerCommandJobs } from './device-commands/server/jobs.ts'
import { registerDeviceJobs } from './devices/server/jobs.ts'
import { registerJobJobs } from './jobs/server/jobs.ts'
import { registerLaneJobs } from './lanes/server/jobs.ts'
import { registerMachineJobs } from './machines/server/jobs.ts'
import { registerNoticeJobs } from './notices/server/jobs.ts'
import { registerOrderJobs } from './orders/server/jobs.ts'
import { registerSessionJobs } from './session/server/jobs.ts'
import { registerSettingsJobs } from './settings/server/jobs.ts'
import { registerUserJobs } from './users/server/jobs.ts'

/** Background work of every domain, one line per domain. */
export const jobs: readonly ((app: App) => Promise<void>)[] = [
  registerAlertJobs,
  registerAuditJobs,
  registerCommandJobs,
  registerComplaintJobs,
  registerDeviceJobs,
  registerFirstPassword,
  registerJobJobs,
  registerLaneJobs,
  registerMachineJobs,
  registerOrderJobs,
  registerNoticeJobs,
  registerSessionJobs,
  registerSettingsJobs,
  registerUserJobs,
]
