import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { toast } from '../../../web/toast.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { CaseRow, orderSupplements } from '../contract.ts'
import { QueryForm } from './QueryForm.tsx'

const SupplementDialog = lazyDialog(() =>
  import('./SupplementDialog.tsx').then((m) => m.SupplementDialog),
)
const CloseDialog = lazyDialog(() => import('./CloseDialog.tsx').then((m) => m.CloseDialog))
const SyncDialog = lazyDialog(() => import('./SyncDialog.tsx').then((m) => m.SyncDialog))

type Doing =
  | { what: 'supplement'; rows: readonly CaseRow[]; done: () => void }
  | { what: 'close'; row: CaseRow }
  | { what: 'sync' }

const orderPath = (orderNum: string) => `/order/order-details/${orderNum}`
/** This machine on the day of the row. */
const machineQuery = ({ deviceNum, createTime }: CaseRow) => {
  const day = shanghaiDay(new Date(createTime))
  return `/order/order-details?rtuNumber=${deviceNum}&dateFrom=${day}&dateTo=${day}`
}

/** Everything that went wrong with payments and pieces, and what is done about it. */
export function OrderSupplements() {
  const { t } = useTranslation('orderSupplements')
  const col = useCols(CaseRow, 'orderSupplements')
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const start = ({ rows, clear }: Selection<CaseRow>) => {
    const open = rows.filter((row) => row.can.supplement)
    if (open.length === 0) toast('info', t('noneOpen'))
    else if (open.length > 20) toast('info', t('tooMany'))
    else setDoing({ what: 'supplement', rows: open, done: clear })
  }
  return (
    <>
      <ListPage
        ns="orderSupplements"
        endpoint={orderSupplements.list}
        live="orders"
        header={<Button onClick={() => setDoing({ what: 'sync' })}>{t('syncBill')}</Button>}
        notice={<QueryForm />}
        filters={[
          'kind',
          'payType',
          { key: 'tradeNo', width: 180 },
          { key: 'amount', more: true },
          { key: 'openOnly', more: true },
        ]}
        columns={[
          col('kind'),
          col('tradeNo', {
            width: 120,
            render: (number: string | null) => (number ? <ShortNumber number={number} /> : null),
          }),
          col('orderNum', {
            width: 108,
            render: (number: string | null) =>
              number ? <ShortNumber number={number} to={orderPath(number)} /> : null,
          }),
          col('deviceNum', {
            fit: (_, row) => `${row.deviceNum ?? t('noMachine')} ${row.name ?? ''}`,
            render: (_, row) =>
              row.deviceNum ? (
                <>
                  <Link to={machineQuery(row)}>{row.deviceNum}</Link> <Muted>{row.name}</Muted>
                </>
              ) : (
                <Muted>{t('noMachine')}</Muted>
              ),
          }),
          col('amount', { width: 104 }),
          col('payType', { defaultHidden: true }),
          col('paidAt'),
          col('userName', { defaultHidden: true }),
          col('advice'),
          col('state'),
          col('handledBy'),
          col('remark', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'supplement',
            label: t('supplement'),
            can: row.can.supplement,
            onClick: () => setDoing({ what: 'supplement', rows: [row], done: () => undefined }),
          },
          {
            key: 'close',
            label: t('close'),
            can: row.can.close,
            onClick: () => setDoing({ what: 'close', row }),
          },
        ]}
        batch={[{ key: 'supplement', label: t('supplement'), onClick: start }]}
        empty={{
          title: t('empty'),
          hint: t('emptyHint'),
          action: <Button onClick={() => setDoing({ what: 'sync' })}>{t('syncBill')}</Button>,
        }}
        card={['deviceNum', 'amount', 'advice', 'paidAt']}
      />
      {doing?.what === 'supplement' ? (
        <SupplementDialog rows={doing.rows} done={doing.done} onClose={close} />
      ) : null}
      {doing?.what === 'close' ? <CloseDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'sync' ? <SyncDialog onClose={close} /> : null}
    </>
  )
}
