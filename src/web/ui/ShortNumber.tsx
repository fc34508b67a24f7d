import { Link } from 'react-router'
import { CopyButton } from '../CopyButton.tsx'
import { Side } from './Side.tsx'

/** A long number by its last signs, `tail`; the whole of it is in the title and in the copy. */
export function ShortNumber({
  number,
  to,
  title,
  tail = 6,
}: {
  number: string
  to?: string
  title?: string
  tail?: number
}) {
  const text = `…${number.slice(-tail)}`
  return (
    <Side gap={2}>
      <span title={title ?? number} style={{ whiteSpace: 'nowrap' }}>
        {to ? <Link to={to}>{text}</Link> : text}
      </span>
      <CopyButton text={number} />
    </Side>
  )
}
