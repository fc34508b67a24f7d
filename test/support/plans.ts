import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { vi } from 'vitest'
import type { App } from '../../src/server/context.ts'
import type { Scope } from '../../src/server/database.ts'

export type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] }
export const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** The statements that `work` sends and `of` knows, explained as the application role in the reader's scope. */
export async function plansOf(app: App, scope: Scope, work: () => Promise<unknown>, of: RegExp): Promise<{ plan: Plan; ms: number }[]> {
  const sent = vi.spyOn(pg.Client.prototype, 'query')
  await work()
  const calls = sent.mock.calls as unknown as [unknown, unknown[]][]
  const statements = calls.filter((call): call is [string, unknown[]] => typeof call[0] === 'string' && of.test(call[0]))
  sent.mockRestore()
  return app.database.read(scope, async (db) => {
    const plans: { plan: Plan; ms: number }[] = []
    for (const [text, values] of statements) {
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan; 'Execution Time': number }[] }>(
        CompiledQuery.raw(`explain (analyze, format json) ${text}`, values),
      )
      const [explained] = rows[0]?.['QUERY PLAN'] ?? []
      if (explained) plans.push({ plan: explained.Plan, ms: explained['Execution Time'] })
    }
    return plans
  })
}
