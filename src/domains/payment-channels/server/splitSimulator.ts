import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import {
  type Receiver,
  type ReturnAnswer,
  type ReturnRequest,
  retry,
  type SplitAnswer,
  type SplitPart,
  type SplitRequest,
  type Splits,
} from './channels.ts'

/**
 * How the simulated channel behaves at the next tries of a number: DROPPED never arrives, LOST is
 * done and its answer gets lost, LATE is done by the next try only, REFUSED is refused for good,
 * SHORT has no money now, UNCLEAR says what nobody knows.
 */
export type SplitFault = 'DROPPED' | 'LOST' | 'LATE' | 'REFUSED' | 'SHORT' | 'UNCLEAR'
/** By number of the split, return or release, or account of a receiver. */
export const splitFaults = new Map<string, SplitFault[]>()
/** What a receiver is like; written by whoever plays the channel. */
type Known = {
  refuses?: boolean
  limited?: boolean
  consents?: boolean
  short?: boolean
  gone?: boolean
}
type Kind = 'RECEIVER' | 'SPLIT' | 'RETURN' | 'RELEASE'
type Kept<B> = B & { late?: boolean }
/** What it says in its bill besides what it answers. */
type Billed = SplitPart & { amount: number }

/** The simulated channel: it remembers receivers and numbers, as a real one does. */
export function simulatedSplits(app: App): Splits {
  const fault = (no: string) => splitFaults.get(no)?.shift()
  const known = async <B>(no: string): Promise<Kept<B> | null> =>
    (
      await bySystem(
        app,
        (ctx) =>
          rowOf<{ body: Kept<B> }>(ctx.db)`select body from simulated_splits where no = ${no}`,
      )
    )?.body ?? null
  const keep = (no: string, kind: Kind, body: object) =>
    bySystem(app, async (ctx) => {
      await sql`insert into simulated_splits (no, org_id, kind, body, created_at)
        values (${no}, ${platformOrg}, ${kind}, ${JSON.stringify(body)}::jsonb, ${ctx.now})
        on conflict (no) do nothing`.execute(ctx.db)
    })
  const change = (no: string, body: object) =>
    bySystem(app, async (ctx) => {
      await sql`update simulated_splits set body = body || ${JSON.stringify(body)}::jsonb
        where no = ${no}`.execute(ctx.db)
    })
  const receiver = (account: string) => known<Known>(`RCV ${account}`)

  /** What a call does once, whatever gets lost; `made`: what it becomes, as it is asked first. */
  async function once<B extends object, A extends { readonly state: string }>(
    no: string,
    kind: Kind,
    answer: (kept: B) => A,
    made: () => Promise<B | { short: true }>,
  ): Promise<
    A | ReturnType<typeof retry> | { state: 'PROCESSING' } | { state: 'DENIED'; reason: string }
  > {
    const how = fault(no)
    if (how === 'DROPPED') return retry('ETIMEDOUT')
    if (how === 'UNCLEAR') return retry('answer is not signed')
    const before = await known<B>(no)
    if (!before) {
      if (how === 'SHORT') return retry('NOT_ENOUGH')
      if (how === 'REFUSED') return { state: 'DENIED', reason: 'NO_AUTH' }
      const body = await made()
      if ('short' in body) return retry('NOT_ENOUGH')
      await keep(no, kind, how === 'LATE' ? { ...body, late: true } : body)
    }
    if (how === 'LOST') return retry('ECONNRESET')
    const kept = await known<B>(no)
    if (!kept) return retry('no answer')
    if (!kept.late) return answer(kept)
    await change(no, { late: false })
    return { state: 'PROCESSING' }
  }

  return {
    async register({ account, kind }: Receiver) {
      const how = fault(account)
      if (how === 'REFUSED') return { state: 'DENIED', reason: 'USER_NOT_EXIST' }
      if (how) return retry('ETIMEDOUT')
      await keep(`RCV ${account}`, 'RECEIVER', {})
      await change(`RCV ${account}`, { gone: false })
      const { consents = kind === 'MERCHANT_ID' } = (await receiver(account)) ?? {}
      return { state: 'REGISTERED', returnConsent: consents }
    },
    async unregister({ account }) {
      if (fault(account)) return retry('ETIMEDOUT')
      await change(`RCV ${account}`, { gone: true })
      return { state: 'GONE' }
    },
    split: ({ requestNo, parts }: SplitRequest) =>
      once<{ parts: Billed[] }, SplitAnswer>(
        requestNo,
        'SPLIT',
        (kept) => ({ state: 'FINISHED', splitNo: `SIM${requestNo}`, parts: kept.parts }),
        async () => ({
          parts: await Promise.all(
            parts.map(async ({ account, amount }): Promise<Billed> => {
              const of = { account, amount }
              const who = await receiver(account)
              if (!who || who.gone) return { ...of, state: 'FAILED', reason: 'NO_RELATION' }
              if (who.limited) return { ...of, state: 'FAILED', reason: 'RECEIVER_RECEIPT_LIMIT' }
              return who.refuses
                ? { ...of, state: 'FAILED', reason: 'ACCOUNT_ABNORMAL' }
                : { ...of, state: 'PAID' }
            }),
          ),
        }),
      ),
    async find({ requestNo }) {
      const kept = await known<{ parts: Billed[] }>(requestNo)
      if (!kept) return { state: 'ABSENT' }
      if (kept.late) return { state: 'PROCESSING' }
      return { state: 'FINISHED', splitNo: `SIM${requestNo}`, parts: kept.parts }
    },
    async findReturn({ returnNo }) {
      const kept = await known<{ amount: number; consents: boolean }>(returnNo)
      if (!kept) return { state: 'ABSENT' }
      if (kept.late) return { state: 'PROCESSING' }
      return kept.consents
        ? { state: 'SUCCESS', amount: kept.amount }
        : { state: 'DENIED', reason: 'NO_AUTH' }
    },
    giveBack: ({ returnNo, account, amount }: ReturnRequest) =>
      once<{ account: string; amount: number; consents: boolean }, ReturnAnswer>(
        returnNo,
        'RETURN',
        (kept) =>
          kept.consents
            ? { state: 'SUCCESS', amount: kept.amount }
            : { state: 'DENIED', reason: 'NO_AUTH' },
        async () => {
          const who = await receiver(account)
          return who?.short
            ? { short: true }
            : { account, amount, consents: who?.consents !== false }
        },
      ),
    release: async ({ requestNo }) => {
      const answer = await once(
        requestNo,
        'RELEASE',
        () => ({ state: 'RELEASED' as const }),
        async () => ({}),
      )
      return answer.state === 'PROCESSING' ? retry(answer.state) : answer
    },
  }
}
