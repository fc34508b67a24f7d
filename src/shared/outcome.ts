import { z } from 'zod'
import type { ErrorDef } from './errors.ts'
import * as f from './fields.ts'
import { bi, type Lang, say } from './text.ts'

const choose = bi('请至少选择一台设备', 'Choose at least one machine')
/** Machines chosen for one deed. */
export const machineIds = (most: number, tooMany?: string) =>
  f.ids(choose).min(1, choose).max(most, tooMany)

/** What became of each of many machines; `more`: what the deed says of one besides. */
export const machineOutcome = <S extends z.ZodRawShape>(more: S) =>
  z.strictObject({
    done: z.number().int(),
    skipped: z.number().int(),
    results: z.array(
      z.strictObject({
        id: f.id,
        rtuNumber: z.string(),
        nickname: z.string(),
        ok: z.boolean(),
        reason: z.string(),
        ...more,
      }),
    ),
  })

type Machine = { readonly id: number; readonly rtuNumber: string; readonly nickname: string }
/** One of them: done, or skipped and why. */
export const resultOf = (
  { id, rtuNumber, nickname }: Machine,
  lang: Lang,
  refusal: ErrorDef | null,
  values?: Record<string, string | number>,
) => ({
  ...{ id, rtuNumber, nickname },
  ok: !refusal,
  reason: refusal ? say(refusal.text, lang, values) : '',
})

/** What became of each of many things, and how many of them it was done to. */
export function outcomeOf<R extends { readonly ok: boolean }>(
  results: R[],
): { done: number; skipped: number; results: R[] } {
  const done = results.filter(({ ok }) => ok).length
  return { done, skipped: results.length - done, results }
}
