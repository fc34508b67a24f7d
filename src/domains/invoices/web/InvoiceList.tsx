import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { useAct } from '../../../web/useAct.ts'
import { InvoiceRow, invoices } from '../contract.ts'
import { useTabs } from './tabs.ts'

const AskDialog = lazyDialog(() => import('./AskDialog.tsx').then((m) => m.AskDialog))
const StepDialog = lazyDialog(() => import('./StepDialog.tsx').then((m) => m.StepDialog))
type Open = { what: 'ask' } | { what: 'reject' | 'issue' | 'red'; row: InvoiceRow }

export function InvoiceList() {
  const { t } = useTranslation('invoices')
  const col = useCols(InvoiceRow, 'invoices')
  const may = useMay()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const name = (row: InvoiceRow) => `${row.requestNo} ${row.title}`
  const approve = useAct(invoices.approve, { ask: t('approveAsk'), name, danger: false })
  const cancel = useAct(invoices.cancel, { ask: t('cancelAsk'), name, ok: t('cancel') })
  const tabs = useTabs()
  return (
    <>
      <ListPage
        ns="invoices"
        endpoint={invoices.list}
        live="invoices"
        views={tabs}
        header={
          may('invoice:create') ? (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ what: 'ask' })}>
              {t('create')}
            </Button>
          ) : null
        }
        filters={[
          'requestNo',
          'title',
          'taxNo',
          'state',
          { key: 'kind', more: true },
          { key: 'source', more: true },
          { key: 'range', more: true },
          { key: 'amountFrom', more: true },
          { key: 'amountTo', more: true },
        ]}
        columns={[
          col('requestNo', { fixed: 'start', width: 208 }),
          col('title'),
          col('taxNo', { defaultHidden: true }),
          col('kind', { width: 104 }),
          col('amount'),
          col('taxAmount', { defaultHidden: true }),
          col('taxRateBp', {
            defaultHidden: true,
            render: (bp: number) => `${(bp / 100).toFixed(2)}%`,
          }),
          col('source', { width: 88 }),
          col('itemCount', { defaultHidden: true }),
          col('state', { width: 120 }),
          col('issuedNo', { width: 184 }),
          col('issueTime', { defaultHidden: true }),
          col('redNo', { defaultHidden: true }),
          col('reason', { defaultHidden: true }),
          col('requester', { width: 96 }),
          col('orgName', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'approve',
            label: t('approve'),
            can: row.can.decide,
            onClick: () => void approve(row),
          },
          {
            key: 'issue',
            label: t('issue'),
            can: row.can.issue,
            onClick: () => setOpen({ what: 'issue', row }),
          },
          {
            key: 'reject',
            label: t('reject'),
            danger: true,
            can: row.can.decide,
            onClick: () => setOpen({ what: 'reject', row }),
          },
          {
            key: 'red',
            label: t('red'),
            danger: true,
            can: row.can.red,
            onClick: () => setOpen({ what: 'red', row }),
          },
          {
            key: 'cancel',
            label: t('cancel'),
            can: row.can.cancel,
            onClick: () => void cancel(row),
          },
        ]}
        card={['title', 'kind', 'amount', 'issuedNo']}
      />
      {open?.what === 'ask' ? <AskDialog onClose={close} /> : null}
      {open && open.what !== 'ask' ? (
        <StepDialog what={open.what} row={open.row} onClose={close} />
      ) : null}
    </>
  )
}
