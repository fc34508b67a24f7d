import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './Crop.module.css'
import { Modal } from './ui/overlay.tsx'

/** What is shown of it, and as many pixels as a cover needs. */
const shownSide = 320
const mostSide = 1200

type Props = {
  readonly file: File
  readonly onDone: (square: File) => void
  readonly onClose: () => void
}

/** The square of a picture that becomes a cover: by hand, or by the three sliders. */
export function CropDialog({ file, onDone, onClose }: Props) {
  const { t } = useTranslation('web')
  const [url, setUrl] = useState('')
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [zoom, setZoom] = useState(1)
  // where the square stands between the edges
  const [at, setAt] = useState({ x: 0.5, y: 0.5 })
  const picture = useRef<HTMLImageElement>(null)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  const side = Math.min(size.width, size.height) / zoom
  const room = { x: size.width - side, y: size.height - side }
  const scale = side > 0 ? shownSide / side : 0
  const within = (share: number) => Math.max(0, Math.min(1, share))
  const move = (dx: number, dy: number) =>
    setAt(({ x, y }) => ({
      x: room.x > 0 ? within(x - dx / scale / room.x) : x,
      y: room.y > 0 ? within(y - dy / scale / room.y) : y,
    }))
  const cut = () => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = Math.round(Math.min(side, mostSide))
    const pen = canvas.getContext('2d')
    if (!pen || !picture.current) return
    const from = [at.x * room.x, at.y * room.y] as const
    pen.drawImage(picture.current, ...from, side, side, 0, 0, canvas.width, canvas.height)
    canvas.toBlob(
      (blob) => blob && onDone(new File([blob], file.name, { type: file.type })),
      file.type,
      0.9,
    )
  }
  const sliders = [
    ['zoom', zoom, 1, 4, (value: number) => setZoom(value), true],
    ['across', at.x, 0, 1, (x: number) => setAt({ ...at, x }), room.x > 0],
    ['down', at.y, 0, 1, (y: number) => setAt({ ...at, y }), room.y > 0],
  ] as const
  return (
    <Modal
      open
      width={shownSide + 48}
      title={t('crop.title')}
      okText={t('action.confirm')}
      okButtonProps={{ disabled: side === 0 }}
      onOk={cut}
      onCancel={onClose}
    >
      <div
        className={styles.frame}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) =>
          event.currentTarget.hasPointerCapture(event.pointerId) &&
          move(event.movementX, event.movementY)
        }
      >
        {url ? (
          <img
            ref={picture}
            src={url}
            alt=""
            draggable={false}
            style={{
              width: size.width * scale || 1,
              left: -at.x * room.x * scale,
              top: -at.y * room.y * scale,
            }}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setSize({ width, height })
            }
          />
        ) : null}
      </div>
      {sliders.map(([key, value, min, max, set, can]) => (
        <label key={key} className={styles.slider}>
          <span>{t(`crop.${key}`)}</span>
          <input
            type="range"
            min={min}
            max={max}
            step={0.01}
            value={value}
            disabled={!can}
            onChange={(event) => set(Number(event.target.value))}
          />
        </label>
      ))}
    </Modal>
  )
}
