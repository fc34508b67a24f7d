import { Picture } from '../../../web/Picture.tsx'

type Person = { readonly avatar: string; readonly realName: string }

/** Somebody's picture, or the first character of his name. */
export const Face = ({ row, size = 24 }: { row: Person; size?: number }) =>
  row.avatar ? (
    <Picture src={row.avatar} alt={row.realName} size={size} />
  ) : (
    <span
      aria-hidden
      style={{
        display: 'inline-grid',
        placeItems: 'center',
        width: size,
        height: size,
        borderRadius: 4,
        background: 'var(--hd-tint)',
        color: 'var(--hd-selected-text)',
        fontSize: Math.max(12, size * 0.4),
      }}
    >
      {row.realName.slice(0, 1).toUpperCase()}
    </span>
  )
