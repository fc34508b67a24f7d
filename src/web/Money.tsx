import { yuan } from '../shared/money.ts'
import { Bad } from './ui/Text.tsx'

/** Fen as yuan. Unknown is a dash, never a zero. */
export function Money({
  fen,
  strong = false,
}: {
  fen: number | null | undefined
  strong?: boolean
}) {
  if (fen === null || fen === undefined) return <span className="hd-none">—</span>
  return strong ? <strong>{yuan(fen)}</strong> : <span>{yuan(fen)}</span>
}

/** `12,486`; zero is quiet, unknown is a dash. */
export function Count({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="hd-none">—</span>
  return value === 0 ? <span className="hd-zero">0</span> : <span>{formatCount(value)}</span>
}

export const formatCount = (value: number): string =>
  `${value < 0 ? '\u2212' : ''}${Math.abs(value).toLocaleString('en-US', { maximumFractionDigits: 6 })}`

/** Of a file, in words that need no translation. */
export const formatBytes = (bytes: number): string =>
  bytes < 1_048_576
    ? `${Math.max(1, Math.round(bytes / 1024))} KB`
    : `${(bytes / 1_048_576).toFixed(1)} MB`

/** Tenths of a percent; less than nothing stands out. */
export function Percent({ permille }: { permille: number | null }) {
  if (permille === null) return <span className="hd-none">—</span>
  return <Bad when={permille < 0}>{formatPermille(permille)}</Bad>
}

export const formatPermille = (permille: number): string =>
  `${(permille / 10).toFixed(1).replace('-', '\u2212')}%`
