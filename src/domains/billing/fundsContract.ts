import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { accountCodes } from './rules.ts'

export const Funds = z.strictObject({
  orgId: f.id,
  orgName: z.string(),
  /** Of what others owe to it, less what it owes: what may be taken out at most. */
  available: f.signedFen,
  accounts: z.array(z.strictObject({ account: z.enum(accountCodes), balance: f.signedFen })),
  /** Merchants at which channel money of the organisation lies. */
  merchants: z.array(
    z.strictObject({
      configId: f.id.nullable(),
      name: z.string().nullable(),
      balance: f.signedFen,
      /** What the channel brings to the bank today: what came in until the last working day. */
      expectedToday: f.signedFen,
    }),
  ),
  /** Closing of each of the last 30 days. */
  days: z.array(z.strictObject({ day: f.day, payable: f.signedFen, pending: f.signedFen })),
})
export type Funds = z.infer<typeof Funds>

export const fundsEndpoints = {
  accounts: read('account:read', {
    path: '/finance/accounts',
    summary: 'Accounts of an organisation, the own one when none is given, and their last 30 days',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: Funds,
  }),
}
