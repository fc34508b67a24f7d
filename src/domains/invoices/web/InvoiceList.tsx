import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { download } from '../../../web/download.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { InvoiceRow, invoices } from '../contract.ts'
import { fileOf, InvoiceDrawer } from './InvoiceDrawer.tsx'
import { useTabs } from './tabs.ts'

const AskDialog = lazyDialog(() => import('./AskDialog.tsx').then((m) => m.AskDialog))
const dialogs = {
  reject: lazyDialog(() => import('./dialogs.tsx').then((m) => m.RejectDialog)),
  issue: lazyDialog(() => import('./dialogs.tsx').then((m) => m.IssueDialog)),
  send: lazyDialog(() => import('./dialogs.tsx').then((m) => m.SendDialog)),
  red: lazyDialog(() => import('./dialogs.tsx').then((m) => m.RedDialog)),
}
type What = keyof typeof dialogs
type Open = { what: 'ask' } | { what: What; row: InvoiceRow }

export function InvoiceList() {
  const { t } = useTranslation('invoices')
  const col = useCols(InvoiceRow, 'invoices')
  const may = useMay()
  const detail = useDetail()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const name = (row: InvoiceRow) => `${row.requestNo} ${row.title}`
  const approve = useAct(invoices.approve, { ask: t('approveAsk'), name, danger: false })
  const cancel = useAct(invoices.cancel, { ask: t('cancelAsk'), name, ok: t('cancel') })
  const dialog = (what: What, row: InvoiceRow, can: boolean, danger = false) => ({
    ...{ key: what, label: t(what), can, danger },
    onClick: () => setOpen({ what, row }),
  })
  const ask = may('invoice:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ what: 'ask' })}>
      {t('create')}
    </Button>
  ) : null
  const Dialog = open && open.what !== 'ask' ? dialogs[open.what] : null
  return (
    <>
      <ListPage
        ns="invoices"
        endpoint={invoices.list}
        live="invoices"
        views={useTabs('list')}
        detail={InvoiceDrawer}
        header={ask}
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
          col('requestNo', {
            fixed: 'start',
            width: 108,
            link: (row) => detail.to(row.id),
            render: (number: string) => <ShortNumber number={number} />,
          }),
          col('title', { width: 168 }),
          col('taxNo', { defaultHidden: true }),
          col('kind', { width: 88, tones: {} }),
          col('amount', { width: 96 }),
          col('taxAmount', { width: 88 }),
          col('source', { width: 72, tones: {} }),
          col('state', { width: 108 }),
          col('issuedNo', {
            width: 108,
            render: (number: string) => (number ? <ShortNumber number={number} /> : null),
          }),
          col('issueTime', { width: 104 }),
          col('requester', { width: 80 }),
          col('taxRateBp', {
            defaultHidden: true,
            render: (bp: number) => `${bp / 100}%`,
          }),
          col('email', { defaultHidden: true }),
          col('sendTime', { defaultHidden: true }),
          col('mailError', { defaultHidden: true }),
          col('redNo', { defaultHidden: true }),
          col('redTime', { defaultHidden: true }),
          col('reason', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('issuerName', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'approve',
            label: t('approve'),
            can: row.can.decide,
            onClick: () => void approve(row),
          },
          dialog('issue', row, row.can.issue),
          dialog('send', row, row.can.send),
          {
            key: 'download',
            label: t('download'),
            can: row.can.download,
            onClick: () => void download(fileOf(row.id)),
          },
          dialog('reject', row, row.can.reject, true),
          dialog('red', row, row.can.red, true),
          {
            key: 'cancel',
            label: t('cancel'),
            can: row.can.cancel,
            onClick: () => void cancel(row),
          },
        ]}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: ask }}
        card={['title', 'kind', 'amount']}
      />
      {open?.what === 'ask' ? <AskDialog onClose={close} /> : null}
      {open && open.what !== 'ask' && Dialog ? <Dialog row={open.row} onClose={close} /> : null}
    </>
  )
}
