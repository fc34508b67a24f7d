import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { replenishment, VisitRow } from '../contract.ts'
import { signed } from './shown.ts'
import { useViews } from './views.ts'

const VisitDrawer = lazyDialog(() => import('./VisitDrawer.tsx').then((m) => m.VisitDrawer))

export function VisitList() {
  const { t } = useTranslation('replenishment')
  const col = useCols(VisitRow, 'replenishment')
  const may = useMay()
  const detail = useDetail()
  return (
    <ListPage
      ns="replenishment"
      endpoint={replenishment.visits}
      live="replenishment"
      detail={VisitDrawer}
      title={t('title')}
      views={useViews('visits')}
      filters={[
        { key: 'keyword', label: t('device') },
        'state',
        'range',
        { key: 'deviceId', picker: DeviceSelect, more: true },
        ...(may('user:lookup') ? [{ key: 'userId', picker: PersonSelect, more: true }] : []),
        { key: 'differs', options: [{ value: 'true', label: t('enums.differs.true') }] },
      ]}
      columns={[
        col('id', { width: 88, title: t('visitNo'), link: (row) => detail.to(row.id) }),
        col('rtuNumber', numberAndName),
        col('userName'),
        col('startedAt'),
        col('submittedAt'),
        col('added'),
        col('withdrawn'),
        col('difference', {
          fit: (value) => signed(Number(value)),
          render: (_, row) => <Bad when={row.difference < 0}>{signed(row.difference)}</Bad>,
        }),
        may('product:cost') && col('diffCost'),
        col('state'),
        col('source', { tones: {} }),
        col('doorSeconds', {
          defaultHidden: true,
          render: (_, { doorSeconds }) =>
            doorSeconds === null ? '—' : t('doorMinutes', { n: Math.ceil(doorSeconds / 60) }),
        }),
        col('flags', {
          defaultHidden: true,
          render: (_, { flags }) => flags.map((one) => t(`enums.flag.${one}`)).join('、') || '—',
        }),
        col('reason', { defaultHidden: true }),
        col('postedAt', { defaultHidden: true }),
      ]}
      actions={(row) => [{ key: 'open', label: t('action.open'), to: detail.to(row.id) }]}
      empty={{ title: t('noVisits') }}
      card={['rtuNumber', 'userName', 'startedAt', 'added', 'withdrawn', 'difference']}
    />
  )
}
