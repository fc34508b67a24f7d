import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'

/** The bell counts up to here and says 99+ for it. */
export const countedTo = 100

/** Apart from messageContract.ts because the bell loads it with the shell. */
export const unread = read('message:read', {
  path: '/messages/unread-count',
  summary: 'Own unread messages up to 100, and announcements that pop up',
  output: z.strictObject({ count: z.number().int().min(0).max(countedTo), popups: z.array(f.id) }),
})
