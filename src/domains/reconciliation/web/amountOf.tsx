import { yuan } from '../../../shared/money.ts'
import { formatCount, Money } from '../../../web/Money.tsx'
import type { RunRow } from '../contract.ts'

type Row = Pick<RunRow, 'part'>
/** Money, but of stock pieces. */
export const amountOf = <R extends Row>() => ({
  align: 'right' as const,
  fit: (value: unknown, { part }: R) =>
    part === 'STOCK' ? formatCount(Number(value)) : yuan(Number(value)),
  render: (value: number, { part }: R) =>
    part === 'STOCK' ? formatCount(value) : <Money fen={value} />,
})
