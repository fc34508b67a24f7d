import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Spin } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from './base.ts'
import { messageOf } from './call.ts'
import { product } from './product.ts'
import { toast } from './toast.ts'
import styles from './Upload.module.css'

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
}

/**
 * One picture as text without `max`, a list of at most `max` with it. Checked here for a quick
 * answer and again by the server.
 */
export function Upload({ id, value, onChange, max, disabled = false, own = false }: Props) {
  const { t } = useTranslation('web')
  const field = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const urls = typeof value === 'string' ? (value === '' ? [] : [value]) : [...(value ?? [])]
  const limit = max ?? 1
  const give = (next: string[]) => onChange?.(max === undefined ? (next[0] ?? '') : next)

  const take = async (chosen: readonly File[]) => {
    const files = chosen.slice(0, max === undefined ? 1 : limit - urls.length)
    if (files.some((file) => !types.includes(file.type))) return toast('error', t('upload.type'))
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
    </div>
  )
}
