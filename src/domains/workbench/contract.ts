import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { Board } from './boardContract.ts'
import { linkEndpoints } from './linkContract.ts'

export const StandingRow = z.strictObject({
  key: z.string(),
  title: z.string(),
  titleEn: z.string(),
  tone: z.enum(['fault', 'warn', 'offline', 'soldOut', 'paid']),
  count: f.count,
  /** There are more than were counted. */
  more: z.boolean(),
  /** At stake, in fen; null: not known, or not for this reader. */
  value: f.signedFen.nullable(),
  /** At stake once, or lost with every day. */
  per: z.enum(['ONCE', 'DAY']),
  since: f.instant.nullable(),
  /** The list behind it, with its filter. */
  to: z.string(),
})
export type StandingRow = z.infer<typeof StandingRow>

export const workbench = {
  situation: read('workbench:read', {
    path: '/workbench/situation',
    heavy: true,
    summary: 'What stands open and this person may act on, by what is at stake',
    output: z.strictObject({ asOf: f.instant, list: z.array(StandingRow) }),
  }),
  bigData: read('screen:read', {
    path: '/workbench/big-data',
    heavy: true,
    summary: 'Figures of the wall display: totals of the scope, no person in them',
    output: Board,
  }),
  ...linkEndpoints,
}
