import type { App } from '../../../server/context.ts'
import { rolloutKind } from './engine.ts'

export function registerReleaseJobs(app: App): void {
  app.jobs.work(rolloutKind(app))
}
