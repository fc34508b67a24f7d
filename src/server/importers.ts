import type { z } from 'zod'
import type { Access } from '../shared/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import { filled } from '../shared/text.ts'
import type { App, Ctx } from './context.ts'
import { oneOfMany } from './run.ts'

/** One column of an import file. All texts are packed with `bi`. */
export type ImportColumn = {
  readonly key: string
  readonly title: string
  readonly required?: boolean
  readonly example?: string
  readonly note?: string
}
export type ImportRow<V> = {
  /** The line a person sees in the spreadsheet; the first row below the header is 2. */
  readonly line: number
  readonly value: V
}
type Key<S extends z.ZodObject> = keyof z.output<S> & string
/** What is wrong with one row; without a column, the row as a whole. `text` is packed with `bi`. */
export type RowError = { readonly line: number; readonly column?: string; readonly text: string }

/**
 * Rows of a spreadsheet that become things: data and one verb. The platform makes the template,
 * reads and checks the file, runs `run` inside one transaction (rolled back for a dry run or when
 * it answers an error), writes its log rows and keeps the result.
 */
export type Importer<S extends z.ZodObject = z.ZodObject, P = unknown> = {
  /** Part of the address: letters, digits, dashes. */
  readonly kind: string
  readonly title: string
  readonly permission: Access
  /** Makes accounts or secrets: asks for a proof of the last minutes. */
  readonly fresh?: true
  readonly columns: readonly ImportColumn[]
  /** Cells arrive as trimmed texts; an empty one is absent. */
  readonly row: S
  /** Keys no two rows of one file may share; several together, the last one names the column. */
  readonly unique?: readonly (Key<S> | readonly Key<S>[])[]
  /** Topic of the live channel told after the rows are in. */
  readonly touches?: string
  /**
   * Slow work (hashing) before the transaction opens; its result is handed to `run`. `all`: also
   * the rows that are not well formed.
   */
  readonly prepare?: (
    app: App,
    rows: readonly ImportRow<z.output<S>>[],
    all: readonly ImportRow<Partial<z.output<S>>>[],
  ) => Promise<P>
  /**
   * What else is wrong with rows that are not well formed, by the fields that are; faults of the
   * others are dropped. Nothing is kept.
   */
  readonly halves?: (
    ctx: Ctx,
    rows: readonly ImportRow<Partial<z.output<S>>>[],
    prepared: P,
  ) => Promise<readonly RowError[]>
  /**
   * Something of `prepared` that only the answer of the import itself brings, never kept, never
   * logged; with a name, as a file. Texts packed with `bi`.
   */
  readonly once?: (
    prepared: P,
    rows: readonly ImportRow<z.output<S>>[],
  ) => { readonly label: string; readonly fileName?: string; readonly text: string }
  /**
   * Applies all rows and gives `ctx.audit` each with its action; whatever it answers besides `[]`
   * undoes everything. Ids given to machines or people never leave it.
   */
  readonly run: (
    ctx: Ctx,
    rows: readonly ImportRow<z.output<S>>[],
    prepared: P,
  ) => Promise<readonly RowError[]>
}

/** What is wrong with one cell, in the middle of a row's verb. */
export const cellRefusal = (field: string, text: string): Refusal =>
  new Refusal(common.invalid, {}, [{ field, text }])

/** Types the row of `run` from `row`. */
export function defineImporter<S extends z.ZodObject, P = undefined>(
  importer: Importer<S, P>,
): Importer {
  return importer as unknown as Importer
}

/**
 * The verb of one row for each row: a refusal or a rule of the database becomes an error of that
 * row, the others are still tried, so that a person sees all faults at once. What a row says for
 * the log is kept when none is wrong.
 */
export async function eachRow<V>(
  ctx: Ctx,
  rows: readonly ImportRow<V>[],
  work: (ctx: Ctx, value: V, line: number) => Promise<unknown>,
): Promise<RowError[]> {
  const errors: RowError[] = []
  for (const { line, value } of rows) {
    const wrong = await oneOfMany(ctx, () => work(ctx, value, line))
    if (wrong) errors.push(...rowErrors(wrong, line))
  }
  return errors
}

function rowErrors(refusal: Refusal, line: number): RowError[] {
  const { def, values, fields } = refusal
  if (!fields.length) return [{ line, text: filled(def.text, values) }]
  return fields.map(({ field, text }) => ({ line, column: field, text: filled(text, values) }))
}
