import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { DrugControlLink } from '../../drug-control/web/pickers.ts'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { SupplierSelect } from '../../suppliers/web/pickers.tsx'
import { BatchRow, batches } from '../contract.ts'

const BatchFields = lazyDialog(() => import('./BatchFields.tsx').then((m) => m.BatchFields))
const RecallDialog = lazyDialog(() => import('./RecallDialogs.tsx').then((m) => m.RecallDialog))
const UnrecallDialog = lazyDialog(() => import('./RecallDialogs.tsx').then((m) => m.UnrecallDialog))
const CodesDialog = lazyDialog(() => import('./CodesDialog.tsx').then((m) => m.CodesDialog))
const dialogs = { recall: RecallDialog, unrecall: UnrecallDialog, codes: CodesDialog }

/** The second tab of the page of suppliers. */
export function BatchList() {
  const { t } = useTranslation('batches')
  const col = useCols(BatchRow, 'batches')
  const may = useMay()
  const [open, setOpen] = useState<{ act: keyof typeof dialogs; batch: BatchRow } | null>(null)
  const [importing, setImporting] = useState<'batches' | 'trace-codes' | null>(null)
  const others = (row: BatchRow) => (row.can.update ? undefined : t('others'))
  const Dialog = open && dialogs[open.act]
  return (
    <>
      <ListPage
        ns="batches"
        endpoint={batches.list}
        live="batches"
        records={{
          create: batches.create,
          update: batches.update,
          remove: batches.remove,
          fields: BatchFields,
          width: 680,
          name: 'batchNo',
          whyNotUpdate: others,
        }}
        header={
          <>
            <DrugControlLink />
            {may('trace-code:create') ? (
              <Button onClick={() => setImporting('trace-codes')}>{t('codesOne')}</Button>
            ) : null}
            {may('batch:create') ? (
              <Button onClick={() => setImporting('batches')}>{t('importOne')}</Button>
            ) : null}
          </>
        }
        views={[
          ...(may('supplier:read')
            ? [{ key: 'suppliers', label: t('suppliers'), path: '/product/supplier-batch' }]
            : []),
          { key: 'batches', label: t('tab'), query: {} },
        ]}
        filters={[
          'keyword',
          { key: 'productId', picker: ProductSelect },
          ...(may('supplier:read') ? [{ key: 'supplierId', picker: SupplierSelect }] : []),
          'status',
        ]}
        columns={[
          col('batchNo', { fixed: 'start' }),
          col('productName'),
          col('model', { defaultHidden: true }),
          col('status'),
          col('supplierName'),
          col('producedOn', { defaultHidden: true }),
          col('expiresOn'),
          col('receivedQty'),
          col('loadedQty'),
          col('returnedQty', { defaultHidden: true }),
          col('remaining'),
          may('product:cost') && col('costPrice', { defaultHidden: true }),
          col('report', { defaultHidden: true }),
          col('recallLevel', { defaultHidden: true }),
          col('recallNo', { defaultHidden: true }),
          col('recallReason', { defaultHidden: true }),
          col('recalledAt', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(batch) => [
          {
            key: 'codes',
            label: t('addCodes'),
            can: batch.can.codes,
            onClick: () => setOpen({ act: 'codes', batch }),
          },
          batch.status === 'RECALLED'
            ? {
                key: 'unrecall',
                label: t('unrecall'),
                can: batch.can.recall,
                onClick: () => setOpen({ act: 'unrecall', batch }),
              }
            : {
                key: 'recall',
                label: t('recall'),
                can: batch.can.recall,
                danger: true,
                onClick: () => setOpen({ act: 'recall', batch }),
              },
        ]}
        card={['productName', 'supplierName', 'expiresOn', 'receivedQty', 'loadedQty', 'remaining']}
      />
      {Dialog && open ? <Dialog batch={open.batch} onClose={() => setOpen(null)} /> : null}
      {importing ? (
        <ImportDialog
          kind={importing}
          title={t(importing === 'batches' ? 'import' : 'importCodes')}
          invalidates={[batches.list.path]}
          onClose={() => setImporting(null)}
        />
      ) : null}
    </>
  )
}
