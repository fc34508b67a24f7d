import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Spin } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from './base.ts'
import { messageOf } from './call.ts'
import { lazyDialog } from './lazyDialog.tsx'
import { product } from './product.ts'
import { toast } from './toast.ts'
import styles from './Upload.module.css'

const CropDialog = lazyDialog(() => import('./CropDialog.tsx').then((m) => m.CropDialog))
type Cropping = { readonly file: File; readonly done: (square: File | null) => void }

/** Limits of the specification, section 9. */
const largest = 2 * 1024 * 1024
const types = ['image/jpeg', 'image/png']

type Props = {
  id?: string
  value?: string | readonly string[] | null
  onChange?: (value: string | string[]) => void
  max?: number
  disabled?: boolean
  /** A picture of the own record, which needs no right. */
  own?: boolean
  /** The first picture is a square: whoever gives another one chooses which part of it. */
  square?: boolean
}

/**
 * One picture as text without `max`, a list of at most `max` with it. Checked here for a quick
 * answer and again by the server.
 */
export function Upload({
  id,
  value,
  onChange,
  max,
  disabled = false,
  own = false,
  square = false,
}: Props) {
  const { t } = useTranslation('web')
  const field = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [cropping, setCropping] = useState<Cropping | null>(null)
  const urls = typeof value === 'string' ? (value === '' ? [] : [value]) : [...(value ?? [])]
  const limit = max ?? 1
  const give = (next: string[]) => onChange?.(max === undefined ? (next[0] ?? '') : next)

  const take = async (chosen: readonly File[]) => {
    const files = chosen.slice(0, max === undefined ? 1 : limit - urls.length)
    if (files.some((file) => !types.includes(file.type))) return toast('error', t('upload.type'))
    const [first] = files
    if (square && urls.length === 0 && first) {
      const cover = await squareOf(first)
      if (!cover) return
      files[0] = cover
    }
    if (files.some((file) => file.size > largest)) return toast('error', t('upload.size'))
    // the first ones that fit are kept
    if (files.length < chosen.length) toast('error', t('upload.count'))
    setBusy(true)
    try {
      const added = await Promise.all(files.map((file) => product.uploadImage(file, own)))
      give(max === undefined ? added : [...urls, ...added])
    } catch (error) {
      toast('error', messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  /** As it is, where it is one or nobody can say; null when the person gave up. */
  const squareOf = async (file: File): Promise<File | null> => {
    const seen = await createImageBitmap(file).catch(() => null)
    const fine = !seen || seen.width === seen.height
    seen?.close()
    return fine ? file : new Promise((done) => setCropping({ file, done }))
  }
  const cropped = (cover: File | null) => {
    setCropping(null)
    cropping?.done(cover)
  }
  return (
    <div className={styles.list}>
      {urls.map((url) => (
        <span key={url} className={styles.item}>
          <img src={href(url)} alt="" />
          {disabled ? null : (
            <button
              type="button"
              aria-label={t('action.remove')}
              title={t('action.remove')}
              onClick={() => give(urls.filter((other) => other !== url))}
            >
              <DeleteOutlined />
            </button>
          )}
        </span>
      ))}
      {disabled || urls.length >= limit ? null : (
        <button
          type="button"
          {...(id ? { id } : {})}
          className={styles.add}
          onClick={() => field.current?.click()}
          aria-busy={busy}
        >
          {busy ? <Spin size="small" /> : <PlusOutlined />}
          {t('upload.button')}
        </button>
      )}
      <input
        ref={field}
        type="file"
        style={{ display: 'none' }}
        accept={types.join(',')}
        multiple={limit > 1}
        onChange={(event) => {
          void take([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      {cropping ? (
        <CropDialog file={cropping.file} onDone={cropped} onClose={() => cropped(null)} />
      ) : null}
    </div>
  )
}
