import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import UpOutlined from '@ant-design/icons/es/icons/UpOutlined'
import { Button } from 'antd'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './CopyButton.tsx'
import type { ApiError } from './call.ts'
import styles from './Detail.module.css'
import { Problem, Skeleton } from './Problem.tsx'
import { useActiveTab } from './shell/tabs.ts'
import { usePhone } from './shell/useWidth.ts'
import { Drawer } from './ui/overlay.tsx'

type Props = {
  open: boolean
  onClose: () => void
  title: ReactNode
  /** A StatusTag with `chip`. */
  status?: ReactNode
  /** Copied by the button beside it. */
  id?: string
  actions?: ReactNode
  loading?: boolean
  error?: ApiError | null
  onRetry?: () => void
  /** Neighbouring rows of the list, reached with ↑ and ↓. */
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  children: ReactNode
}

/** A record beside its list, which stays usable. */
export function Detail({
  open,
  onClose,
  title,
  status,
  id,
  actions,
  loading = false,
  error,
  onRetry,
  onPrevious,
  onNext,
  children,
}: Props) {
  const { t } = useTranslation('web')
  const active = useActiveTab()
  const phone = usePhone()
  const shown = open && active
  useEffect(() => {
    if (!shown) return
    const press = (event: KeyboardEvent) => {
      if (
        event.target instanceof HTMLElement &&
        event.target.closest(
          'input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=tablist], [role=combobox]',
        )
      )
        return
      const move =
        event.key === 'ArrowUp' ? onPrevious : event.key === 'ArrowDown' ? onNext : undefined
      if (!move) return
      event.preventDefault()
      move()
    }
    // Captured: antd's drawer keeps key events to itself.
    addEventListener('keydown', press, true)
    return () => removeEventListener('keydown', press, true)
  }, [shown, onPrevious, onNext])
  if (!active) return null
  const steps =
    onPrevious || onNext ? (
      <>
        <Button
          type="text"
          icon={<UpOutlined />}
          disabled={!onPrevious}
          aria-label={t('detail.previous')}
          title={t('detail.previous')}
          onClick={onPrevious}
        />
        <Button
          type="text"
          icon={<DownOutlined />}
          disabled={!onNext}
          aria-label={t('detail.next')}
          title={t('detail.next')}
          onClick={onNext}
        />
      </>
    ) : null
  return (
    <Drawer
      open={open}
      onClose={onClose}
      mask={false}
      size={innerWidth >= 1440 ? 880 : Math.min(720, innerWidth)}
      destroyOnHidden
      title={
        <div className={styles.head}>
          {status}
          {title ? <h2>{title}</h2> : <span className="hd-visually-hidden">{t('loading')}</span>}
          {id && !phone ? (
            <>
              <span className={styles.id}>{id}</span>
              <CopyButton text={id} />
            </>
          ) : null}
        </div>
      }
      extra={
        phone ? (
          <span className={styles.extra}>{steps}</span>
        ) : (
          <span className={styles.extra}>
            {actions}
            {steps}
          </span>
        )
      }
    >
      {phone && actions ? <div className={styles.phoneActions}>{actions}</div> : null}
      {error ? (
        <Problem error={error} {...(onRetry ? { onRetry } : {})} />
      ) : loading ? (
        <Skeleton rows={8} />
      ) : (
        children
      )}
    </Drawer>
  )
}

/** Key-value rows of a detail: labels quiet, values in ink. */
export function Rows({
  title,
  extra,
  items,
}: {
  title?: ReactNode
  extra?: ReactNode
  items: readonly (readonly [label: ReactNode, value: ReactNode])[]
}) {
  return (
    <section className={styles.block}>
      {title ? (
        <h3 className={styles.title}>
          <span>{title}</span>
          {extra}
        </h3>
      ) : null}
      <dl className={styles.rows}>
        {items.map(([label, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a detail never change their order
          <div key={index}>
            <dt>{label}</dt>
            <dd>
              {value === null || value === undefined || value === '' ? (
                <span className="hd-none">—</span>
              ) : (
                value
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
