import type { ReactNode } from 'react'
import type { Column } from '../columns.tsx'
import { CardHead, Facts } from '../ui/Card.tsx'

const blank = (value: unknown) => value === null || value === undefined || value === ''

const Fact = ({ label, value }: { label: string; value: ReactNode }) => (
  <>
    {label} {value}
  </>
)

/**
 * One row on a phone, drawn from the columns of its list: picture, first text and state lead, then
 * what `keys` names.
 */
export function RowCard<R>({
  row,
  columns,
  keys,
  actions,
}: {
  row: R
  columns: readonly Column<R>[]
  keys: readonly string[]
  actions: ReactNode
}) {
  const find = (as: NonNullable<Column<R>['card']>['as']) =>
    columns.find((column) => column.card?.as === as)
  const [pictures, title, state] = [find('picture'), find('line'), find('state')]
  const empty = (key: string) => blank((row as Record<string, unknown>)[key])
  // where the list shows no pictures by itself, none is no gap
  const picture = pictures?.defaultHidden && empty(pictures.key) ? undefined : pictures
  const chosen = keys.flatMap(
    (key) => columns.find((column) => column.key === key && column !== title) ?? [],
  )
  const filled = chosen.filter((column) => !empty(column.key) || column.card?.as === 'fact')
  const texts = filled.filter((column) => column.card?.as === 'line')
  const facts = filled
    .filter((column) => column.card?.as === 'fact')
    .map((column) => [column.title, column.card?.draw(row)] as const)
  // one fact alone does not need a line of its own
  const [alone, more] = facts
  const lines = texts.map((column) => column.card?.draw(row)).filter((line) => line !== null)
  if (alone && !more) lines.push(<Fact label={alone[0]} value={alone[1]} />)
  return (
    <>
      <CardHead
        picture={picture?.card?.draw(row)}
        title={title?.card?.draw(row)}
        lines={lines}
        end={state?.card?.draw(row)}
      />
      <Facts items={more ? facts : []} />
      {actions}
    </>
  )
}
