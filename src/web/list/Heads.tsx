import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatCount } from '../Money.tsx'
import styles from './List.module.css'
import type { Query } from './listUrl.ts'
import type { BatchAction, Selection, View } from './types.ts'

const same = (query: Query, part: Query) =>
  Object.entries(part).every(([key, value]) => String(query[key] ?? '') === String(value ?? ''))

/** The view that names most of the present query is the pressed one; the empty one is "all". */
export const activeView = (views: readonly View[], query: Query): View | undefined =>
  views
    .filter((view) => view.query && same(query, view.query))
    .sort((a, b) => Object.keys(b.query ?? {}).length - Object.keys(a.query ?? {}).length)[0]

/** On a phone the strip is longer than the screen. */
const intoView = (button: HTMLButtonElement | null): void =>
  button?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

export function ListHead({
  title,
  views,
  query,
  onView,
  actions,
}: {
  title: string
  views: readonly View[]
  query: Query
  onView: (part: Query) => void
  actions: ReactNode
}) {
  const { t } = useTranslation('web')
  const navigate = useNavigate()
  const current = activeView(views, query)
  return (
    <div className={styles.head}>
      <h1>{title}</h1>
      {views.length > 0 ? (
        <div className={styles.views} role="group" aria-label={t('list.views')}>
          {views.map((view) => (
            <button
              key={view.key}
              type="button"
              ref={view === current ? intoView : null}
              aria-pressed={view === current}
              onClick={() => (view.path ? navigate(view.path) : onView(view.query ?? {}))}
            >
              {view.label} {view.count === undefined ? null : <b>{formatCount(view.count)}</b>}
            </button>
          ))}
        </div>
      ) : (
        <span className={styles.grow} />
      )}
      <div className={styles.headActions}>{actions}</div>
    </div>
  )
}

export function BatchBar<R>({
  actions,
  selection,
  total,
  onAll,
}: {
  actions: readonly BatchAction<R>[]
  selection: Selection<R>
  total: number
  onAll: () => void
}) {
  const { t } = useTranslation('web')
  return (
    <div
      className={styles.batch}
      role="toolbar"
      aria-label={t('list.selected', { count: selection.keys.length })}
    >
      <strong>{t('list.selected', { count: selection.keys.length })}</strong>
      {total > selection.keys.length ? (
        <button type="button" className={styles.all} onClick={onAll}>
          {t('list.selectAll', { count: formatCount(total) })}
        </button>
      ) : null}
      {actions
        .filter((action) => action.can !== false)
        .map((action) => (
          <button
            key={action.key}
            type="button"
            className={action.danger ? styles.danger : undefined}
            onClick={() => action.onClick(selection)}
          >
            {action.label}
          </button>
        ))}
      <button
        type="button"
        className={styles.end}
        aria-label={t('list.clearSelection')}
        onClick={selection.clear}
      >
        <CloseOutlined />
      </button>
    </div>
  )
}
