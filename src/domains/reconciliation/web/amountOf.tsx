import { yuan } from '../../../shared/money.ts'
import { formatCount, Money } from '../../../web/Money.tsx'
import type { RunRow } from '../contract.ts'

type Row = Pick<RunRow, 'part'>
/** Money, but of stock pieces. */
export const amountOf = <R extends Row>() => ({
  align: 'right' as const,
  fit: (value: number, { part }: R) => (part === 'STOCK' ? formatCount(value) : yuan(value)),
  render: (value: number, { part }: R) =>
    part === 'STOCK' ? formatCount(value) : <Money fen={value} />,
})
