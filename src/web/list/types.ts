import type { ReactNode } from 'react'
import type { CallInput, Endpoint, Output } from '../../shared/contract.ts'
import type { Column } from '../columns.tsx'
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
  /** A picker of another domain, e.g. `(props) => <OrgPicker {...props} />`. */
  readonly picker?: (props: PickerProps) => ReactNode
  /** Starts behind 更多筛选. */
  readonly more?: boolean
  readonly width?: number
}
export type PickerProps = { readonly value: unknown; readonly onChange: (value: unknown) => void; readonly placeholder: string; readonly prefix: ReactNode }

export type View = { readonly key: string; readonly label: string; readonly query: Query; readonly count?: number | undefined }

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

export type Selection<R> = { readonly keys: readonly (string | number)[]; readonly rows: readonly R[]; readonly clear: () => void }
export type BatchAction<R> = {
  readonly key: string
  readonly label: string
  readonly danger?: boolean
  readonly can?: boolean
  readonly onClick: (selection: Selection<R>) => void
}

export type ListPageProps<E extends Endpoint, R = RowOf<E>> = {
  readonly title: string
  /** Namespace of the domain's texts. */
  readonly ns: string
  readonly endpoint: E
  readonly columns: readonly Column<R>[]
  readonly rowKey: keyof R & string
  /** Input the page sets itself, e.g. a path parameter. */
  readonly fixed?: Partial<CallInput<E>>
  readonly views?: readonly View[]
  readonly filters?: readonly Filter[]
  /** Right side of the title: export first, one primary button last. */
  readonly header?: ReactNode
  readonly actions?: (row: R) => readonly RowAction[]
  /** Widens the actions column when labels are long. */
  readonly actionsWidth?: number
  readonly batch?: readonly BatchAction<R>[]
  /** Totals of the whole filter, from the answer. */
  readonly sums?: (answer: Output<E>) => readonly { readonly label: string; readonly value: ReactNode }[]
  /** The list refreshes when the server announces this topic. */
  readonly live?: string
  readonly empty?: { readonly title: string; readonly hint?: string; readonly action?: ReactNode }
  /** Below 768 px: one row as a card. */
  readonly card?: (row: R, actions: ReactNode) => ReactNode
  /** Between filters and table: a banner, a note. */
  readonly notice?: ReactNode
  readonly onRow?: (row: R) => void
}
