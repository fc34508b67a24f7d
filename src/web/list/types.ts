import type { ComponentType, ReactNode } from 'react'
import type { CallInput, Endpoint, Output } from '../../shared/contract.ts'
import type { Column } from '../columns.tsx'
import type { Values } from '../form/values.ts'
import type { Query } from './listUrl.ts'

export type RowOf<E extends Endpoint> = Output<E> extends { list: (infer R)[] } ? R : never

/** One field of the filter row, resolved against the endpoint's input. */
export type Filter = {
  /** Field of the list query; `range` stands for `from` and `to`. */
  readonly key: string
  /** Default: `fields.<key>` of the page's namespace. */
  readonly label?: string
  /** Labels of an enum; default: `enums.<key>.<value>`. */
  readonly options?: readonly { readonly value: string | number; readonly label: string }[]
  /** A picker, of another domain too: `OwnerSelect`, or a function that gives it more. */
  readonly picker?: (props: PickerProps) => ReactNode
  /** What stands there while nothing is chosen; default: all. */
  readonly unset?: string
  /** Starts behind 更多筛选. */
  readonly more?: boolean
  readonly width?: number
}
export type PickerProps = {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly placeholder: string
  readonly prefix: ReactNode
}

/** Part of what the list shows, or with a path another list that is a tab of the same page. */
export type View = {
  readonly key: string
  readonly label: string
  readonly query?: Query
  readonly path?: string
  readonly count?: number | undefined
}

export type RowAction = {
  readonly key: string
  readonly label: string
  /** Absent without the permission: pass `row.can.includes('refund')`. */
  readonly can?: boolean
  /** In the wrong state the action stays visible and says why. */
  readonly disabled?: string | undefined
  readonly danger?: boolean
  readonly to?: string
  readonly onClick?: () => void
}

export type Selection<R> = {
  readonly keys: readonly (string | number)[]
  readonly rows: readonly R[]
  readonly clear: () => void
}
export type BatchAction<R> = {
  readonly key: string
  readonly label: string
  readonly danger?: boolean
  readonly can?: boolean
  readonly onClick: (selection: Selection<R>) => void
}

/**
 * Why an act that a person has the right to cannot be done to this row: it stays visible and says
 * so.
 */
type Why<R> = (row: R) => string | undefined

/**
 * What lists of records have in common: a button that creates, a row that is edited and removed,
 * each with the right of its endpoint, `row.can`, the question before and the message after.
 * `fields` are edited in a dialog; without them the page of the list has pages beside it, `/create`
 * and `/edit/12`. Texts are made of the domain's `one` and `many`.
 */
export type Records<R> = {
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly remove?: Endpoint
  /** Read before the dialog opens, where a row shows less than its form. */
  readonly get?: Endpoint
  readonly fields?: ComponentType<{ row: R | undefined }>
  /** Start values of a new record that the contract does not give. */
  readonly blank?: Values
  readonly width?: number
  /** The column that names a row in the question; default: the first text. */
  readonly name?: keyof R & string
  readonly whyNotUpdate?: Why<R>
  readonly whyNotRemove?: Why<R>
}

/** The record beside its list that `?detail=` names, with the rows before and after it. */
export type DetailProps = {
  readonly id: string
  readonly onClose: () => void
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

export type ListPageProps<E extends Endpoint, R = RowOf<E>> = {
  /** Default: the title of the screen. */
  readonly title?: string
  /** Namespace of the domain's texts. */
  readonly ns: string
  /** The second kind of record of a domain has its texts below this key. */
  readonly texts?: string
  readonly endpoint: E
  /** `may('product:cost') && col('costPrice')`: a column not everybody sees. */
  readonly columns: readonly (Column<R> | false)[]
  /** Default: `id`. */
  readonly rowKey?: keyof R & string
  readonly records?: Records<R>
  /** A double press on a row opens it. */
  readonly detail?: ComponentType<DetailProps>
  /** Input the page sets itself, e.g. a path parameter. */
  readonly fixed?: Partial<CallInput<E>>
  /** Or the name of an enum of the query: all, and each of its values. */
  readonly views?: readonly View[] | string
  /** The name alone where everything follows from the contract. */
  readonly filters?: readonly (Filter | string)[]
  /**
   * Right side of the title: export first, one primary button last. The button that creates comes
   * with `records`.
   */
  readonly header?: ReactNode
  /** What can be done with a row besides editing and removing it, which stand first and last. */
  readonly actions?: (row: R) => readonly RowAction[]
  /** Widens the actions column when labels are long. */
  readonly actionsWidth?: number
  readonly batch?: readonly BatchAction<R>[]
  /** Totals of the whole filter, from the answer. */
  readonly sums?: (
    answer: Output<E>,
  ) => readonly { readonly label: string; readonly value: ReactNode }[]
  /** The list refreshes when the server announces this topic. */
  readonly live?: string
  readonly empty?: { readonly title: string; readonly hint?: string; readonly action?: ReactNode }
  /**
   * Below 768 px one row is a card: picture, name and state by themselves, and the columns named
   * here.
   */
  readonly card?: readonly string[] | ((row: R, actions: ReactNode) => ReactNode)
  /** Between filters and table: a banner, a note. */
  readonly notice?: ReactNode
}
