import { Button, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { PageHead, Sheet } from '../../../web/ui/Sheet.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useScreen } from '../../../web/useScreen.ts'
import { splitStrategies } from '../../split-strategies/contract.ts'
import { type SimulationRow, splitSimulations } from '../contract.ts'
import { Result } from './Result.tsx'
import styles from './simulate.module.css'

const AskDialog = lazyDialog(() => import('./AskDialog.tsx').then((m) => m.AskDialog))
const clock = (at: string) => shanghaiDay(new Date(at))

/** What versions of one strategy would have made of what was sold, the newest answer first. */
export function Simulate() {
  const { t } = useTranslation('splitSimulations')
  const strategyId = Number(useParams().id)
  const screen = useScreen()
  const [asking, setAsking] = useState(false)
  const [chosen, setChosen] = useState<number | null>(null)
  useLive('split-simulations', [splitSimulations.get.path, splitSimulations.list.path])
  const strategy = useRead(splitStrategies.get, { id: strategyId }, { inline: true })
  const versions = useRead(splitStrategies.versions, { id: strategyId }, { inline: true })
  const past = useRead(splitSimulations.list, { strategyId, pageSize: 50 }, { inline: true })
  useTabTitle(strategy.data?.name)
  const list = past.data?.list ?? []
  const id = chosen ?? list[0]?.id ?? null
  const today = shanghaiDay(new Date())
  const titleOf = (row: SimulationRow) =>
    t('of', {
      date: clock(row.createTime),
      version: `${t('version', { n: row.versionNo })} ${t(`enums.state.${row.state}`)}`,
    })
  return (
    <div className={styles.page}>
      <PageHead title={`${screen.title} · ${strategy.data?.name ?? ''}`}>
        {list.length > 0 ? (
          <Select
            aria-label={t('past')}
            style={{ width: 240 }}
            value={id}
            options={list.map((row) => ({ value: row.id, label: titleOf(row) }))}
            onChange={(next: number) => setChosen(next)}
          />
        ) : null}
        <Button type="primary" disabled={!versions.data} onClick={() => setAsking(true)}>
          {t('start')}
        </Button>
      </PageHead>
      {past.data ? null : <Unread read={past} />}
      {past.data && id === null ? (
        <Sheet title={t('empty')}>
          <Muted>{t('emptyHint')}</Muted>
        </Sheet>
      ) : null}
      {id === null ? null : <One key={id} id={id} />}
      {asking && versions.data ? (
        <AskDialog
          strategyId={strategyId}
          versions={versions.data.list}
          range={[addDays(today, -29), today]}
          onClose={() => setAsking(false)}
          onSaved={(row) => setChosen(row.id)}
        />
      ) : null}
    </div>
  )
}

/** One of them: how far it is, what became of it. */
function One({ id }: { id: number }) {
  const { t } = useTranslation('splitSimulations')
  const read = useRead(splitSimulations.get, { id }, { inline: true, keep: true, every: 5000 })
  const cancel = useAct(splitSimulations.cancel, {
    ask: t('cancelAsk'),
    ok: t('cancel'),
    success: 'splitSimulations:cancelled',
    invalidates: ['/api/finance/split-simulations'],
  })
  const row = read.data
  if (!row) return <Unread read={read} />
  if (row.result) return <Result row={row} result={row.result} />
  return (
    <Sheet
      title={t('headline')}
      end={
        row.can.cancel ? (
          <Button danger onClick={() => void cancel(row)}>
            {t('cancel')}
          </Button>
        ) : null
      }
    >
      <div className={styles.wait}>
        <StatusTag tone={row.state === 'FAILED' ? 'fault' : 'paid'}>
          {t(`enums.state.${row.state}`)}
        </StatusTag>
        {row.can.cancel ? (
          <>
            <Progress
              percent={row.total ? Math.floor((row.done * 100) / row.total) : 0}
              aria-label={t('one')}
            />
            <Muted>{t('progress', { done: row.done, total: row.total })}</Muted>
          </>
        ) : null}
        {row.error ? <Bad>{row.error}</Bad> : null}
      </div>
    </Sheet>
  )
}
