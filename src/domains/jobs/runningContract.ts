import { z } from 'zod'
import { read } from '../../shared/contract.ts'

/** Apart from contract.ts because the shell's badge loads it on every page. */
export const running = read('self', {
  path: '/jobs/running',
  summary: 'How many own jobs wait or run',
  output: z.strictObject({ count: z.number().int().min(0) }),
})
