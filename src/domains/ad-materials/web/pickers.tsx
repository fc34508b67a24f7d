import { href } from '../../../web/base.ts'
import { Picture } from '../../../web/Picture.tsx'

type Media = { readonly file: string; readonly kind: 'IMAGE' | 'VIDEO' }

/** A picture, or the first one of a film: its head alone is read. */
export const Thumb = ({ file, kind, size = 32 }: Media & { size?: number }) =>
  kind === 'IMAGE' ? (
    <Picture src={file} size={size} />
  ) : (
    <video
      src={`${href(file)}#t=0.1`}
      width={size}
      height={size}
      preload="metadata"
      muted
      aria-hidden
      style={{
        objectFit: 'cover',
        borderRadius: 6,
        display: 'block',
        background: 'var(--hd-page)',
      }}
    />
  )

/** The column of a list, and the picture of its card on a phone. */
export const thumbOf = <R extends Media>() => ({
  render: (_: unknown, row: R) => <Thumb file={row.file} kind={row.kind} />,
  card: {
    as: 'picture' as const,
    draw: (row: R) => <Thumb file={row.file} kind={row.kind} size={48} />,
  },
})

/** As large as there is room, with its own controls. */
export const Whole = ({ file, kind, alt }: Media & { alt: string }) => {
  const style = {
    ...{ maxWidth: '100%', maxHeight: 320, borderRadius: 8 },
    ...{ display: 'block', marginBottom: 16 },
  } as const
  return kind === 'IMAGE' ? (
    <img src={href(file)} alt={alt} style={style} />
  ) : (
    // biome-ignore lint/a11y/useMediaCaption: an advertisement on a machine has no words of its own
    <video src={href(file)} controls playsInline preload="metadata" title={alt} style={style} />
  )
}
