import { Button, Skeleton, Tabs } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { useLive } from '../../../web/live.ts'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { Mark, StatusTag } from '../../../web/StatusTag.tsx'
import { useDirty, useTabTitle } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { lanes, type Planogram } from '../contract.ts'
import { LaneGrid } from './LaneGrid.tsx'
import { LanePanel } from './LanePanel.tsx'
import { LaneTable } from './LaneTable.tsx'
import { LaneTools } from './LaneTools.tsx'
import { LevelsDialog } from './LevelsDialog.tsx'
import styles from './lanes.module.css'
import { roadsOf } from './shown.ts'
import { usePanel } from './usePanel.ts'

export function CargoRoad() {
  const { t } = useTranslation('lanes')
  const deviceId = Number(useParams().id ?? 0)
  const read = useRead(lanes.plan, { deviceId }, { inline: true })
  useLive('lanes', [lanes.plan.path])
  useTabTitle(read.data?.device.rtuNumber)
  if (read.error && !read.data)
    return (
      <section className="hd-sheet">
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      </section>
    )
  if (!read.data)
    return (
      <section className={`hd-sheet ${styles.head}`} aria-label={t('title')}>
        <Skeleton active paragraph={{ rows: 10 }} />
      </section>
    )
  return <Editor plan={read.data} onStale={() => void read.refetch()} />
}

function Editor({ plan, onStale }: { plan: Planogram; onStale: () => void }) {
  const { t } = useTranslation(['lanes', 'web'])
  const confirm = useConfirm()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [tab, setTab] = useState('plan')
  const phone = usePhone()
  const side = useRef<HTMLDivElement>(null)
  const roads = roadsOf(plan)
  const chosen = roads.filter((road) => selected.has(road.id) && road.status !== 'MERGED')
  const panel = usePanel(plan, chosen, onStale)
  useDirty(panel.dirty)
  const select = async (ids: number[]) => {
    if (panel.dirty && !(await confirm({ title: t('web:form.leave'), ok: t('web:shell.leave'), cancel: t('web:shell.stay') }))) return
    panel.reset()
    setSelected(new Set(ids))
  }
  const focusPanel = () => setTimeout(() => side.current?.querySelector<HTMLElement>('input')?.focus())
  if (plan.floors.length === 0)
    return (
      <>
        <Head plan={plan} />
        <NoLanes plan={plan} />
      </>
    )
  const bar = <LaneTools plan={plan} roads={roads} chosen={chosen} />
  return (
    <>
      <Head plan={plan} />
      <div className={styles.work}>
        <section className={`hd-sheet ${styles.main}`} aria-label={t('title')}>
          {phone ? bar : <div className={styles.beside}>{bar}</div>}
          <Tabs
            activeKey={tab}
            onChange={setTab}
            items={[
              {
                key: 'plan',
                label: t('planTab'),
                children: <LaneGrid plan={plan} selected={selected} onSelect={(ids) => void select(ids)} onOpen={focusPanel} />,
              },
              { key: 'stock', label: t('stockTab'), children: <LaneTable roads={roads} selected={selected} onSelect={(ids) => void select(ids)} /> },
            ]}
          />
          <div className={styles.legend}>
            {(['low', 'soldOut', 'fault', 'locked'] as const).map((view) => (
              <span key={view}>
                <Mark tone={view === 'low' ? 'warn' : view} />
                {t(`enums.view.${view}`)}
              </span>
            ))}
          </div>
        </section>
        <div ref={side} className={styles.side} data-open={chosen.length > 0}>
          {chosen.length > 0 ? (
            <LanePanel plan={plan} chosen={chosen} panel={panel} onClose={() => void select([])} />
          ) : (
            <aside className={`hd-sheet ${styles.panel}`}>
              <div className={styles.panelBody}>
                <Empty title={t('nothing')} hint={t('nothingHint')} />
              </div>
            </aside>
          )}
        </div>
      </div>
    </>
  )
}

function Head({ plan }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  const { device, totals } = plan
  const figure = (key: 'lanes' | 'enabled' | 'soldOut' | 'low' | 'fault') => (
    <span key={key}>
      {t(`totals.${key}`)} <b data-figure={totals[key] > 0 ? key : undefined}>{totals[key]}</b>
    </span>
  )
  return (
    <header className={`hd-sheet ${styles.head}`}>
      <h1>{device.nickname}</h1>
      <span className={styles.quiet}>{device.rtuNumber}</span>
      <StatusTag tone={device.status === 'online' ? 'online' : 'offline'}>{t(`device.${device.status}`)}</StatusTag>
      <span className={styles.quiet}>{t('version', { n: plan.version })}</span>
      <span className={styles.figures}>
        {(['lanes', 'enabled', 'soldOut', 'low', 'fault'] as const).map(figure)}
        <span>
          {t('totals.stock')} <b>{totals.stock}</b> / {totals.capacity}
        </span>
      </span>
    </header>
  )
}

function NoLanes({ plan }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  const [open, setOpen] = useState(false)
  return (
    <section className={`hd-sheet ${styles.none}`}>
      <Empty
        title={t('empty')}
        action={
          plan.can.update ? (
            <Button type="primary" onClick={() => setOpen(true)}>
              {t('create')}
            </Button>
          ) : null
        }
      />
      {open ? <LevelsDialog plan={plan} onClose={() => setOpen(false)} /> : null}
    </section>
  )
}
