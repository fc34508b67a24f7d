import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useMay } from '../../../web/session.ts'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { StrategySelect } from '../../split-strategies/web/pickers.tsx'
import { useSplitViews } from '../../splits/web/pickers.ts'
import { DeviceSplitRow, deviceSplits } from '../contract.ts'

const BindBatch = lazyDialog(() => import('./batches.tsx').then((m) => m.BindBatch))
const ReleaseBatch = lazyDialog(() => import('./batches.tsx').then((m) => m.ReleaseBatch))

type Doing = { what: 'bind' | 'release'; rows: readonly DeviceSplitRow[]; done: () => void }

/** Which strategy counts for which machine; the first tab of the page. */
export function DeviceSplitList() {
  const { t } = useTranslation('deviceSplits')
  const col = useCols(DeviceSplitRow, 'deviceSplits')
  const may = useMay()
  const [doing, setDoing] = useState<Doing | null>(null)
  const start =
    (what: Doing['what']) =>
    ({ rows, clear }: Pick<Selection<DeviceSplitRow>, 'rows' | 'clear'>) =>
      setDoing({ what, rows, done: clear })
  const one = (row: DeviceSplitRow) => ({ rows: [row], clear: () => undefined })
  const chosen = doing && {
    ids: doing.rows.map(({ id }) => id),
    bound: doing.rows.every(({ strategyId }) => strategyId !== null),
    orgIds: [...new Set(doing.rows.map(({ orgId }) => orgId))],
    onClose: () => setDoing(null),
    onDone: doing.done,
  }
  return (
    <>
      <ListPage
        ns="deviceSplits"
        endpoint={deviceSplits.list}
        live="device-splits"
        views={useSplitViews('devices')}
        filters={[
          'rtuNumber',
          'keyword',
          { key: 'orgId', picker: OwnerSelect },
          { key: 'strategyId', picker: StrategySelect },
          { key: 'bound', more: true },
          { key: 'mode', more: true },
          { key: 'mallTrading', more: true },
        ]}
        columns={[
          col('rtuNumber'),
          col('machineName', { width: 132 }),
          col('operatorName', { width: 116 }),
          col('tactics', {
            fit: (_, { tactics, versionNo }) => `${tactics ?? t('unbound')} v${versionNo ?? ''}`,
            render: (_, row) =>
              row.tactics === null ? (
                <Bad>
                  <span title={t('paused')}>{t('unbound')}</span>
                </Bad>
              ) : (
                <Named {...row} />
              ),
            // a card has room for the whole sentence, and no pointer to ask for it
            card: {
              as: 'fact',
              draw: (row) => (row.tactics === null ? <Bad>{t('paused')}</Bad> : <Named {...row} />),
            },
          }),
          col('mode', { width: 124 }),
          col('merchantName', {
            width: 120,
            render: (name: string | null, { strategyId }) =>
              strategyId === null ? '—' : name || <Muted>{t('simulator')}</Muted>,
          }),
          col('boundAt', { defaultHidden: true }),
          col('recentSplit'),
          col('mallTrading'),
        ]}
        actions={(row) => [
          {
            key: 'bind',
            label: t(row.strategyId === null ? 'bind' : 'change'),
            can: row.can.bind,
            onClick: () => start('bind')(one(row)),
          },
          {
            key: 'release',
            label: t('release'),
            can: row.can.release,
            danger: true,
            onClick: () => start('release')(one(row)),
          },
        ]}
        batch={[
          { key: 'bind', label: t('bind'), can: may('split:bind'), onClick: start('bind') },
          {
            key: 'release',
            label: t('release'),
            danger: true,
            can: may('split:release'),
            onClick: start('release'),
          },
        ]}
        card={['operatorName', 'tactics', 'recentSplit']}
      />
      {chosen && doing?.what === 'bind' ? <BindBatch {...chosen} /> : null}
      {chosen && doing?.what === 'release' ? <ReleaseBatch {...chosen} /> : null}
    </>
  )
}

/** A strategy by its name and the version that counts. */
function Named({ tactics, versionNo }: Pick<DeviceSplitRow, 'tactics' | 'versionNo'>) {
  const { t } = useTranslation('deviceSplits')
  return (
    <>
      {tactics} <Muted>{versionNo === null ? null : t('version', { n: versionNo })}</Muted>
    </>
  )
}
