import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { download } from '../../../web/download.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { formatBytes } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { Cut } from '../../../web/ui/Text.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { useDrugViews } from '../../drug-control/web/pickers.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { drugEvidence, PackRow } from '../contract.ts'
import { PackDrawer } from './PackDrawer.tsx'

const MakeDialog = lazyDialog(() => import('./MakeDialog.tsx').then((m) => m.MakeDialog))
const CheckerDialog = lazyDialog(() => import('./CheckerDialog.tsx').then((m) => m.CheckerDialog))

/** Signed packages for regulators: a tab of drug control. */
export function PackList() {
  const { t } = useTranslation('drugEvidence')
  const title = useTranslation('drugControl').t('title')
  const col = useCols(PackRow, 'drugEvidence')
  const may = useMay()
  const detail = useDetail()
  const [open, setOpen] = useState<'make' | 'check' | null>(null)
  return (
    <>
      <ListPage
        ns="drugEvidence"
        endpoint={drugEvidence.list}
        live="drug-evidence"
        title={title}
        views={useDrugViews('evidence')}
        rowKey="no"
        detail={PackDrawer}
        filters={['state', { key: 'deviceId', picker: DeviceSelect }, 'range']}
        columns={[
          col('no', { fixed: 'start', link: (row) => detail.to(row.no) }),
          col('about', {
            width: 188,
            render: (about: string) => <Cut title={about}>{about}</Cut>,
          }),
          col('from'),
          col('to'),
          col('state'),
          col('rows'),
          col('fileBytes', {
            width: 88,
            render: (bytes: number | null) => (bytes === null ? null : formatBytes(bytes)),
          }),
          col('userName', { width: 96 }),
          col('createTime'),
          col('dataAsOf', { defaultHidden: true }),
          col('devices', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('error', { defaultHidden: true }),
          col('finishedAt', { defaultHidden: true }),
          col('expiresAt', { defaultHidden: true }),
        ]}
        header={
          <>
            <Button onClick={() => setOpen('check')}>{t('checker')}</Button>
            {may('drug-evidence:export') ? (
              <Button type="primary" onClick={() => setOpen('make')}>
                {t('make')}
              </Button>
            ) : null}
          </>
        }
        actions={(row) => [
          { key: 'open', label: t('action.open'), to: detail.to(row.no) },
          {
            key: 'download',
            label: t('download'),
            can: row.can.download,
            onClick: () => void download(`/api/drug-evidence-packs/${row.no}/file`),
          },
        ]}
        empty={{ title: t('none') }}
        card={['about', 'from', 'to', 'rows', 'userName']}
      />
      {open === 'make' ? <MakeDialog onClose={() => setOpen(null)} /> : null}
      {open === 'check' ? <CheckerDialog onClose={() => setOpen(null)} /> : null}
    </>
  )
}
