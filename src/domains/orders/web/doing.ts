import type { Unit } from './stations.ts'

/** What a person is about to do with an order, or with one of its pieces. */
export type Doing =
  | { readonly what: 'refund' | 'receipt' }
  | { readonly what: 'vend' | 'resolve'; readonly unit: Unit }
export type OnDo = (doing: Doing) => void
