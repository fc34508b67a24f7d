import type { Tone } from '../../../web/StatusTag.tsx'
import type { JobState } from '../rules.ts'

export const stateTones: Readonly<Record<JobState, Tone>> = { QUEUED: 'offline', RUNNING: 'shipped', DONE: 'success', FAILED: 'fault', CANCELLED: 'closed' }
