import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Chip, Cut } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useDrugViews } from '../../drug-control/web/pickers.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { CodeRow, codeTones } from '../codeContract.ts'
import { batches } from '../contract.ts'

const PathDialog = lazyDialog(() => import('./PathDialog.tsx').then((m) => m.PathDialog))

/** Every box with a code, and what the platform knows of it: a tab of drug control. */
export function CodeList() {
  const { t } = useTranslation('batches')
  const title = useTranslation('drugControl').t('title')
  const col = useCols(CodeRow, 'batches')
  const may = useMay()
  const [path, setPath] = useState<string | null>(null)
  const upload = useAct(batches.upload, {
    ask: t('reuploadAsk'),
    ok: t('reupload'),
    danger: false,
    success: 'batches:reuploadDone',
    invalidates: ['trace-codes'],
  })
  const one = useAct(batches.upload, {
    success: 'batches:reuploadDone',
    invalidates: ['trace-codes'],
  })
  const orders = may('order:read')
  return (
    <>
      <ListPage
        ns="batches"
        endpoint={batches.traceCodes}
        rowKey="code"
        live="batches"
        title={title}
        views={useDrugViews('codes')}
        filters={[
          'code',
          {
            key: 'state',
            options: (['IN_STOCK', 'LOADED', 'SOLD', 'WITHDRAWN'] as const).map((value) => ({
              value,
              label: t(`enums.state.${value}`),
            })),
          },
          'upload',
          { key: 'productId', picker: ProductSelect, more: true },
          { key: 'batchNo', more: true },
          { key: 'deviceId', picker: DeviceSelect, more: true },
          { key: 'orderNum', more: true },
          { key: 'range', more: true },
        ]}
        columns={[
          col('code', { fixed: 'start' }),
          col('productName', { width: 132 }),
          col('batchNo'),
          col('state', {
            fit: (_, row) =>
              `${t(`enums.state.${row.state}`)}    ${row.quarantined ? `${t('fields.quarantined')}    ` : ''}`,
            render: (_, row) => (
              <>
                <StatusTag tone={codeTones[row.state]}>{t(`enums.state.${row.state}`)}</StatusTag>{' '}
                {row.quarantined ? <Chip tone="warn">{t('fields.quarantined')}</Chip> : null}
              </>
            ),
          }),
          col('rtuNumber'),
          col('cargoRoad'),
          col('orderNum', {
            width: 108,
            render: (number: string | null) =>
              number ? (
                <ShortNumber
                  number={number}
                  {...(orders ? { to: `/order/order-details/${number}` } : {})}
                />
              ) : (
                <span className="hd-none">—</span>
              ),
          }),
          col('upload'),
          col('uploadReason', {
            width: 120,
            render: (reason: string) =>
              reason ? <Cut title={reason}>{reason}</Cut> : <span className="hd-none">—</span>,
          }),
          col('createTime', { defaultHidden: true }),
          col('soldAt', { defaultHidden: true }),
          col('expiresOn', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
        ]}
        header={
          may('trace-code:upload') ? (
            <Button onClick={() => void upload({})}>{t('reuploadAll')}</Button>
          ) : null
        }
        actions={(row) => [
          { key: 'path', label: t('path'), onClick: () => setPath(row.code) },
          {
            key: 'upload',
            label: t('reupload'),
            can: may('trace-code:upload') && row.upload !== null && row.upload !== 'SENT',
            onClick: () => void one({ codes: [row.code] }),
          },
        ]}
        empty={{ title: t('noCodes') }}
        card={['productName', 'batchNo', 'state', 'rtuNumber', 'orderNum', 'upload']}
      />
      {path ? <PathDialog code={path} onClose={() => setPath(null)} /> : null}
    </>
  )
}
