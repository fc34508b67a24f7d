import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { merchantStates, providers } from './rules.ts'

const State = z.enum(merchantStates)
export const paymentChannels = {
  options: read('payment-config:read', {
    path: '/finance/payment-options',
    summary: 'Merchants for a select box: at most 200, the chosen one among them',
    input: z.strictObject({ orgId: f.id.optional(), state: State.optional(), id: f.id.optional() }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({
          id: f.id,
          merchantName: z.string(),
          provider: z.enum(providers),
          operatorName: z.string(),
          state: State,
          feeBp: z.number().int(),
          splitCapBp: z.number().int(),
        }),
      ),
    }),
  }),
}
