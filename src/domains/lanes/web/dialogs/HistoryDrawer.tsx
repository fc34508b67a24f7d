import { Button, Flex, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../../web/api.ts'
import { Empty, Problem } from '../../../../web/Problem.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Time } from '../../../../web/Time.tsx'
import { Drawer } from '../../../../web/ui/overlay.tsx'
import { Select } from '../../../../web/ui/select.tsx'
import { Muted } from '../../../../web/ui/Text.tsx'
import { lanes, type Planogram } from '../../contract.ts'
import type { VersionRow } from '../../versionContract.ts'
import { changeText } from './changeText.ts'
import styles from './dialogs.module.css'
import { Skipped } from './Skipped.tsx'

const pageSize = 20

/**
 * Every saved state of the lanes; one opened shows what differs from another, and goes back to it.
 * Render it only while it is open.
 */
export function HistoryDrawer({
  plan,
  dirty,
  onClose,
}: {
  plan: Planogram
  dirty: boolean
  onClose: () => void
}) {
  const { t } = useTranslation('lanes')
  const active = useActiveTab()
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<number | null>(null)
  const deviceId = plan.device.id
  const read = useRead(lanes.versions, { deviceId, page, pageSize }, { inline: true, keep: true })
  if (!active) return null
  const list = read.data?.list ?? []
  return (
    <Drawer
      open
      title={`${t('history.title')} · ${plan.device.rtuNumber}`}
      size={Math.min(560, innerWidth)}
      onClose={onClose}
      destroyOnHidden
    >
      {read.error && !read.data ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {read.isPending ? <Skeleton active paragraph={{ rows: 8 }} /> : null}
      {read.data && list.length === 0 ? (
        <Empty title={t('history.none')} hint={t('history.noneHint')} />
      ) : null}
      <ol className={styles.versions}>
        {list.map((row) => (
          <li key={row.version} data-open={chosen === row.version}>
            <button
              type="button"
              aria-expanded={chosen === row.version}
              onClick={() => setChosen(chosen === row.version ? null : row.version)}
            >
              <b>v{row.version}</b>
              <span>
                {t(`enums.source.${row.source}`)}
                {row.current ? ` · ${t('history.current')}` : ''}
              </span>
              <span style={{ marginLeft: 'auto' }}>
                <Muted small>
                  {row.byName} <Time at={row.createTime} />
                </Muted>
              </span>
            </button>
            {chosen === row.version ? (
              <Version
                plan={plan}
                row={row}
                others={list}
                dirty={dirty}
                onRestored={() => setChosen(null)}
              />
            ) : (
              <p className={styles.summary}>
                {row.diff
                  .slice(0, 2)
                  .map((change) => changeText(t, change))
                  .join('；')}
                {row.changes > 2 ? ` ${t('history.more', { n: row.changes - 2 })}` : ''}
              </p>
            )}
          </li>
        ))}
      </ol>
      {(read.data?.total ?? 0) > pageSize ? (
        <Flex gap={8} style={{ marginTop: 8 }}>
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('history.newer')}
          </Button>
          <Button
            disabled={page * pageSize >= (read.data?.total ?? 0)}
            onClick={() => setPage(page + 1)}
          >
            {t('history.older')}
          </Button>
        </Flex>
      ) : null}
    </Drawer>
  )
}

type VersionProps = {
  plan: Planogram
  row: VersionRow
  others: readonly VersionRow[]
  dirty: boolean
  onRestored: () => void
}
const now = 0

function Version({ plan, row, others, dirty, onRestored }: VersionProps) {
  const { t } = useTranslation(['lanes', 'web'])
  const before = others.some((other) => other.version === row.version - 1) ? row.version - 1 : now
  const [against, setAgainst] = useState(before)
  const [asking, setAsking] = useState(false)
  const deviceId = plan.device.id
  // read from the other state to this one, so that an arrow leads to what this version says
  const older = against !== now && against < row.version
  const diff = useRead(lanes.compare, {
    deviceId,
    target: older ? against : row.version,
    ...(against === now ? {} : { against: older ? row.version : against }),
  })
  const options = [
    { value: now, label: t('history.now') },
    ...others
      .filter((other) => other.version !== row.version)
      .map((other) => ({ value: other.version, label: `v${other.version}` })),
  ]
  return (
    <div className={styles.version}>
      <span className={styles.compare}>
        {t('history.against')}
        <Select
          size="small"
          aria-label={t('history.against')}
          value={against}
          options={options}
          popupMatchSelectWidth={false}
          onChange={setAgainst}
        />
        {plan.can.update && !row.current ? (
          <Button size="small" disabled={dirty} onClick={() => setAsking(true)}>
            {t('history.restore')}
          </Button>
        ) : null}
      </span>
      <p className={styles.direction}>
        {older
          ? `v${against} → v${row.version}`
          : `v${row.version} → ${against === now ? t('history.now') : `v${against}`}`}
      </p>
      {diff.data?.changes.length === 0 ? <p>{t('history.same')}</p> : null}
      <ul className={styles.changes}>
        {diff.data?.changes.map((change) => (
          <li key={`${change.road}/${change.level}/${change.field}`}>{changeText(t, change)}</li>
        ))}
      </ul>
      {asking ? (
        <Restore
          plan={plan}
          target={row.version}
          onClose={() => setAsking(false)}
          onDone={onRestored}
        />
      ) : null}
    </div>
  )
}

function Restore({
  plan,
  target,
  onClose,
  onDone,
}: {
  plan: Planogram
  target: number
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation(['lanes', 'web'])
  const deviceId = plan.device.id
  const read = useRead(lanes.restorePlan, { deviceId, target })
  const write = useWrite(lanes.restore, { success: 'lanes:success.restore', onSuccess: onDone })
  if (!read.data) return <Skeleton active paragraph={{ rows: 2 }} />
  const { write: roads, skipped } = read.data
  return (
    <div className={styles.restore}>
      <p>
        {roads.length
          ? t('history.willRestore', { n: roads.length })
          : t('history.nothingToRestore')}
      </p>
      <Skipped rows={skipped} />
      <Flex gap={8} style={{ marginTop: 8 }}>
        <Button
          type="primary"
          disabled={roads.length === 0}
          loading={write.isPending}
          onClick={() => write.mutate({ deviceId, target, version: plan.version })}
        >
          {t('history.restoreTo', { n: target })}
        </Button>
        <Button onClick={onClose}>{t('web:action.cancel')}</Button>
      </Flex>
    </div>
  )
}
