import type { CSSProperties, ReactNode } from 'react'

type Props = {
  readonly title: string
  readonly lines?: readonly (string | null)[]
  readonly action?: ReactNode
}
const page: CSSProperties = {
  ...{ boxSizing: 'border-box', minHeight: '100dvh', padding: 24, textAlign: 'center' },
  ...{ display: 'flex', flexDirection: 'column', alignItems: 'center', justifyContent: 'center' },
  ...{ gap: 12, background: 'var(--hd-sheet)', color: 'var(--hd-text)', lineHeight: '24px' },
}
/** Buttons of phones are as tall as a finger. */
export const tall: CSSProperties = { height: 48, padding: '0 24px', marginTop: 12 }
/** A public page that says one thing and asks at most one: without antd, light on a phone. */
export function PublicNote({ title, lines = [], action }: Props) {
  return (
    <main style={page}>
      <h1 style={{ margin: 0, fontSize: 18, lineHeight: '26px' }}>{title}</h1>
      {lines.map((line) => (line ? <span key={line}>{line}</span> : null))}
      {action}
    </main>
  )
}
