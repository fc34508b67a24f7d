import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../../web/api.ts'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Time } from '../../../../web/Time.tsx'
import { Drawer } from '../../../../web/ui/overlay.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Select } from '../../../../web/ui/select.tsx'
import { Cut, Muted } from '../../../../web/ui/Text.tsx'
import { lanes, type Planogram } from '../../contract.ts'
import type { VersionRow } from '../../versionContract.ts'
import { Changes, changeText } from './Changes.tsx'
import styles from './dialogs.module.css'
import { Skipped } from './MachineTable.tsx'

const pageSize = 20
type Props = { plan: Planogram; dirty: boolean; onClose: () => void }

/**
 * Every saved state of the lanes; one opened shows what differs from another, and goes back to it.
 * Render it only while it is open.
 */
export function HistoryDrawer({ plan, dirty, onClose }: Props) {
  const { t } = useTranslation('lanes')
  const active = useActiveTab()
  const [page, setPage] = useState(1)
  const [chosen, setChosen] = useState<number | null>(null)
  const deviceId = plan.device.id
  const read = useRead(lanes.versions, { deviceId, page, pageSize }, { inline: true, keep: true })
  if (!active) return null
  const { list = [], total = 0 } = read.data ?? {}
  return (
    <Drawer
      open
      title={`${t('history.title')} · ${plan.device.rtuNumber}`}
      size={Math.min(560, innerWidth)}
      onClose={onClose}
      destroyOnHidden
    >
      {read.data ? null : <Unread read={read} rows={8} />}
      {read.data && list.length === 0 ? (
        <Empty title={t('history.none')} hint={t('history.noneHint')} />
      ) : null}
      <Lines columns="minmax(0, 1fr)">
        {list.map((row) => {
          const open = chosen === row.version
          const said = row.diff.slice(0, 2).map((change) => changeText(t, change))
          const more = row.changes > 2 ? ` ${t('history.more', { n: row.changes - 2 })}` : ''
          return (
            <li key={row.version}>
              <Flex vertical flex="1 1 100%" style={{ minWidth: 0 }}>
                <button
                  type="button"
                  className={styles.version}
                  aria-expanded={open}
                  onClick={() => setChosen(open ? null : row.version)}
                >
                  <b>v{row.version}</b>
                  <span>
                    {t(`enums.source.${row.source}`)}
                    {row.current ? ` · ${t('history.current')}` : ''}
                  </span>
                  <Muted small>
                    {row.byName} <Time at={row.createTime} />
                  </Muted>
                </button>
                {open ? (
                  <Version plan={plan} row={row} others={list} dirty={dirty} setOpen={setChosen} />
                ) : (
                  <Muted small>
                    <Cut>{said.join('；') + more}</Cut>
                  </Muted>
                )}
              </Flex>
            </li>
          )
        })}
      </Lines>
      {total > pageSize ? (
        <Flex gap={8} style={{ marginTop: 8 }}>
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            {t('history.newer')}
          </Button>
          <Button disabled={page * pageSize >= total} onClick={() => setPage(page + 1)}>
            {t('history.older')}
          </Button>
        </Flex>
      ) : null}
    </Drawer>
  )
}

type VersionProps = Pick<Props, 'plan' | 'dirty'> & {
  row: VersionRow
  others: readonly VersionRow[]
  setOpen: (version: number | null) => void
}
const now = 0

function Version({ plan, row, others, dirty, setOpen }: VersionProps) {
  const { t } = useTranslation('lanes')
  const { version } = row
  const before = others.some((other) => other.version === version - 1) ? version - 1 : now
  const [against, setAgainst] = useState(before)
  const [asking, setAsking] = useState(false)
  // read from the other state to this one, so that an arrow leads to what this version says
  const older = against !== now && against < version
  const [from, to] = older ? [against, version] : [version, against]
  const diff = useRead(lanes.compare, {
    deviceId: plan.device.id,
    target: from,
    ...(to === now ? {} : { against: to }),
  })
  const name = (one: number) => (one === now ? t('history.now') : `v${one}`)
  const states = [now, ...others.map((other) => other.version).filter((one) => one !== version)]
  return (
    <div className={styles.open}>
      <Flex align="center" gap={8}>
        {t('history.against')}
        <Select
          size="small"
          aria-label={t('history.against')}
          value={against}
          options={states.map((value) => ({ value, label: name(value) }))}
          popupMatchSelectWidth={false}
          onChange={setAgainst}
        />
        {plan.can.update && !row.current ? (
          <Button
            size="small"
            disabled={dirty}
            style={{ marginLeft: 'auto' }}
            onClick={() => setAsking(true)}
          >
            {t('history.restore')}
          </Button>
        ) : null}
      </Flex>
      <Muted small>{`${name(from)} → ${name(to)}`}</Muted>
      {diff.data?.changes.length === 0 ? <div>{t('history.same')}</div> : null}
      <Changes changes={diff.data?.changes} />
      {asking ? (
        <Restore
          plan={plan}
          target={version}
          onClose={() => setAsking(false)}
          onDone={() => setOpen(null)}
        />
      ) : null}
    </div>
  )
}

type RestoreProps = { plan: Planogram; target: number; onClose: () => void; onDone: () => void }
function Restore({ plan, target, onClose, onDone }: RestoreProps) {
  const { t } = useTranslation(['lanes', 'web'])
  const deviceId = plan.device.id
  const read = useRead(lanes.restorePlan, { deviceId, target })
  const write = useWrite(lanes.restore, { success: 'lanes:success.restore', onSuccess: onDone })
  if (!read.data) return <Unread read={read} rows={2} />
  const n = read.data.write.length
  return (
    <div className={styles.restore}>
      {n ? t('history.willRestore', { n }) : t('history.nothingToRestore')}
      <Skipped rows={read.data.skipped} />
      <Flex gap={8} style={{ marginTop: 8 }}>
        <Button
          type="primary"
          disabled={n === 0}
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
