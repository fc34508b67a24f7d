import type { Person } from '../../../server/person.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { type ExportParams, planExport } from '../../jobs/server/exports.ts'
import type { Plan } from '../rules.ts'
import { spanOf, statementPeriod } from '../rules.ts'

/** What is asked for at a time: of a list the days stand in its filter. */
export type Wanted = {
  readonly kind: 'LIST' | 'STATEMENT'
  readonly endpoint: string | null
  readonly query: Record<string, unknown>
  readonly columns: string[]
  readonly subjectId: number | null
}
type Span = { readonly from: string; readonly to: string } | null

export const paramsOf = ({ endpoint, query, columns }: Wanted, span: Span): ExportParams => ({
  endpoint: endpoint ?? '',
  query: span ? { ...query, ...span } : query,
  columns,
})

/** Who may have statements of that organisation: he sees all of it. */
export function mayHaveStatements(person: Person, orgId: number): boolean {
  if (!person.permissions.has('billing:subscribe')) return false
  const { all, orgs, devices } = person.scopeOf('billing:subscribe')
  return devices === null && (all || orgs.includes(orgId))
}

/** Whether he may have it, asked anew each time. */
export async function mayHave(person: Person, wanted: Wanted, span: Span): Promise<boolean> {
  if (wanted.kind === 'STATEMENT') return mayHaveStatements(person, wanted.subjectId ?? 0)
  try {
    await planExport(person, paramsOf(wanted, span))
    return true
  } catch (error) {
    if (error instanceof Refusal && error.def === common.forbidden) return false
    throw error
  }
}

export const spanFor = (
  wanted: Pick<Wanted, 'kind'>,
  plan: Pick<Plan, 'every'> & { readonly period: Parameters<typeof spanOf>[0] },
  day: string,
): Span => spanOf(wanted.kind === 'LIST' ? plan.period : statementPeriod[plan.every], day)
