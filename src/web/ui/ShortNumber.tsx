import { Link } from 'react-router'
import { CopyButton } from '../CopyButton.tsx'
import { Side } from './Side.tsx'

/** A long number by its last six digits; the whole of it is in the title and in the copy. */
export function ShortNumber({
  number,
  to,
  title,
}: {
  number: string
  to?: string
  title?: string
}) {
  const text = `…${number.slice(-6)}`
  return (
    <Side gap={2}>
      <span title={title ?? number} style={{ whiteSpace: 'nowrap' }}>
        {to ? <Link to={to}>{text}</Link> : text}
      </span>
      <CopyButton text={number} />
    </Side>
  )
}
