import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import {
  retry,
  type TransferAnswer,
  type TransferRequest,
  type Transfers,
} from '../../payment-channels/server/channels.ts'
import { masked } from '../../payout-accounts/rules.ts'

/**
 * How the simulated channel behaves at the next calls about a transfer: DROPPED never arrives,
 * LOST is done and its answer gets lost, SILENT answers nothing to a question, LATE is done by the
 * next question only, REFUSED is refused for good, SHORT has no money now, CONFIRM waits for the
 * payee, UNCLEAR says what nobody knows.
 */
type Fault = 'DROPPED' | 'LOST' | 'SILENT' | 'LATE' | 'REFUSED' | 'SHORT' | 'CONFIRM' | 'UNCLEAR'
/** By number: what happens to the next attempts to pay, and to the next questions. */
export const transferFaults = new Map<string, { pay?: Fault[]; query?: Fault[] }>()

type Kept = { state: 'SUCCESS' | 'FAILED' | 'PROCESSING' | 'CONFIRM'; amount: number }

const answerOf = (no: string, kept: Kept, amount: number): TransferAnswer => {
  // a number stands for one transfer: of another amount it is none of ours
  if (kept.amount !== amount) return retry('transfer of another amount')
  if (kept.state === 'SUCCESS') return { state: 'SUCCESS', transferNo: `SIM${no}` }
  return kept.state === 'FAILED'
    ? { state: 'DENIED', reason: 'PAYEE_REFUSED' }
    : { state: kept.state }
}

/** The simulated channel: it remembers each number, as a real one does. */
export function simulatedTransfers(app: App): Transfers {
  const fault = (no: string, call: 'pay' | 'query') => transferFaults.get(no)?.[call]?.shift()
  const known = (no: string) =>
    bySystem(
      app,
      (ctx) =>
        rowOf<Kept>(ctx.db)`select state, amount from simulated_transfers
          where withdrawal_no = ${no}`,
    )
  const keep = ({ transferNo, amount, account }: TransferRequest, state: Kept['state']) =>
    bySystem(app, async (ctx) => {
      await sql`insert into simulated_transfers (withdrawal_no, org_id, amount, account_no, state,
          created_at)
        values (${transferNo}, ${platformOrg}, ${amount}, ${masked(account)}, ${state},
          ${ctx.now}) on conflict (withdrawal_no) do nothing`.execute(ctx.db)
    })
  const move = (no: string, from: Kept['state'], to: Kept['state']) =>
    bySystem(app, async (ctx) => {
      await sql`update simulated_transfers set state = ${to}
        where withdrawal_no = ${no} and state = ${from}`.execute(ctx.db)
    })
  return {
    async pay(request) {
      const { transferNo, amount } = request
      const how = fault(transferNo, 'pay')
      if (how === 'DROPPED') return retry('ETIMEDOUT')
      if (how === 'SHORT') return retry('NOT_ENOUGH')
      if (how === 'UNCLEAR') return retry('answer is not signed')
      await keep(
        request,
        how === 'REFUSED'
          ? 'FAILED'
          : how === 'LATE'
            ? 'PROCESSING'
            : how === 'CONFIRM'
              ? 'CONFIRM'
              : 'SUCCESS',
      )
      if (how === 'LOST') return retry('ECONNRESET')
      const kept = await known(transferNo)
      return kept ? answerOf(transferNo, kept, amount) : retry('no answer')
    },
    async query({ transferNo, amount }) {
      const how = fault(transferNo, 'query')
      if (how === 'SILENT') return retry('ETIMEDOUT')
      if (how === 'UNCLEAR') return retry('answer is not signed')
      const kept = await known(transferNo)
      if (!kept) return { state: 'ABSENT' }
      if (kept.state === 'PROCESSING') {
        await move(transferNo, 'PROCESSING', 'SUCCESS')
        return { state: 'PROCESSING' }
      }
      return answerOf(transferNo, kept, amount)
    },
    cancel: ({ transferNo }) => move(transferNo, 'CONFIRM', 'FAILED'),
  }
}
