import type { Endpoint } from '../../shared/contract.ts'
import { useRead } from '../api.ts'
import type { RowOf } from './types.ts'
import { useListQuery } from './useListQuery.ts'

type Key = string | number
type Steps = { onPrevious: (() => void) | undefined; onNext: (() => void) | undefined }

/** The rows before and after an opened one on the page of the list that the address names: the list's own read, asked once. */
export function useNeighbours<E extends Endpoint>(endpoint: E, rowKey: keyof RowOf<E>, opened: Key, open: (key: Key) => void, enabled = true): Steps | null {
  const { query } = useListQuery(endpoint.input, nothing)
  const read = useRead(endpoint, query as never, { keep: true, inline: true, enabled })
  const keys = ((read.data as { list: RowOf<E>[] } | undefined)?.list ?? []).map((row) => row[rowKey] as Key)
  const at = keys.indexOf(opened)
  if (at < 0) return null
  const step = (key: Key | undefined) => (key === undefined ? undefined : () => open(key))
  return { onPrevious: step(keys[at - 1]), onNext: step(keys[at + 1]) }
}
const nothing = {}
