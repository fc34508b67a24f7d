import { CompiledQuery } from 'kysely'
import type { App, Ctx } from '../../src/server/context.ts'
import type { Scope } from '../../src/server/database.ts'

type Explained = { 'QUERY PLAN': [{ Plan: Record<string, number> }] }

/** Pages of the database that the statements of a read touch: what it costs, without a clock. */
export async function pagesTouched(
  app: App,
  scope: Scope,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<number> {
  return app.database.read(scope, async (db) => {
    const asked: CompiledQuery[] = []
    const watched = db.withPlugin({
      transformQuery({ node, queryId }) {
        asked.push(db.getExecutor().compileQuery(node, queryId))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await work({
      app,
      db: watched,
      now: app.now(),
      actor: { scope, permissions: new Set() },
    } as unknown as Ctx)
    let touched = 0
    for (const { sql, parameters } of asked) {
      const { rows } = await db.executeQuery<Explained>(
        CompiledQuery.raw(`explain (analyze, buffers, timing off, format json) ${sql}`, [
          ...parameters,
        ]),
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      touched += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    }
    return touched
  })
}
