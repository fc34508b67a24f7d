/**
 * A state table: for each state the states it may move to. Tested against the SQL check of its
 * column.
 */
export type Moves<S extends string> = Readonly<Record<S, readonly S[]>>

export type StateTable<S extends string = string> = {
  readonly name: string
  /** `table.column` whose SQL check must list the same states. */
  readonly column: string
  readonly start: readonly S[]
  readonly moves: Moves<S>
}

export const defineStates = <S extends string>(table: StateTable<S>): StateTable<S> => table

/** The states from which `next` may be reached: the `any($allowed)` of the conditional UPDATE. */
export function allowedFrom<S extends string>(table: StateTable<S>, next: NoInfer<S>): S[] {
  return (Object.keys(table.moves) as S[]).filter((state) => table.moves[state].includes(next))
}
