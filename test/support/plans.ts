import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { type MockInstance, vi } from 'vitest'
import type { App } from '../../src/server/context.ts'
import type { Scope } from '../../src/server/database.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Index Name'?: string
  Plans?: Plan[]
}
export const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

type Sent = { text: string; values: unknown[] }
/** What the wire hands to the driver. */
type Message = {
  asked?: readonly { statement: { name?: string; text: string }; values: unknown[] }[]
}
/** The statements that travel while `work` runs, of those that are planned each time; or all. */
export async function sentBy(work: () => Promise<unknown>, all = false): Promise<Sent[]> {
  const query = vi.spyOn(pg.Client.prototype as never, 'query') as unknown as MockInstance<
    (message: Message) => void
  >
  await work()
  const asked = query.mock.calls.flatMap(([{ asked = [] }]) => asked)
  query.mockRestore()
  return asked.flatMap(({ statement, values }) =>
    statement.name && !all ? [] : [{ text: statement.text, values }],
  )
}

/**
 * The statements that `work` sends and `of` knows, explained as the application role in the
 * reader's scope.
 */
export async function plansOf(
  app: App,
  scope: Scope,
  work: () => Promise<unknown>,
  of: RegExp,
  /** As when the tables are so large that none is read from end to end. */
  large = false,
): Promise<{ plan: Plan; ms: number }[]> {
  const statements = (await sentBy(work)).filter(({ text }) => of.test(text))
  return app.database.read(scope, async (db) => {
    const plans: { plan: Plan; ms: number }[] = []
    if (large) await db.executeQuery(CompiledQuery.raw('set enable_seqscan = off'))
    for (const { text, values } of statements) {
      const { rows } = await db.executeQuery<{
        'QUERY PLAN': { Plan: Plan; 'Execution Time': number }[]
      }>(CompiledQuery.raw(`explain (analyze, format json) ${text}`, values))
      const [explained] = rows[0]?.['QUERY PLAN'] ?? []
      if (explained) plans.push({ plan: explained.Plan, ms: explained['Execution Time'] })
    }
    if (large) await db.executeQuery(CompiledQuery.raw('reset enable_seqscan'))
    return plans
  })
}
