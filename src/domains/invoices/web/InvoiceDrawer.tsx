import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { download } from '../../../web/download.ts'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Bad } from '../../../web/ui/Text.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { type InvoiceDetail, invoices, invoiceTones } from '../contract.ts'

/** One request: for whom it is made out and for what, and what became of it. */
export function InvoiceDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('invoices')
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(invoices.get, { id: Number(id) }, { inline: true, enabled: known })
  useLive('invoices', [invoices.get.path])
  const row = known ? read.data : undefined
  return (
    <Detail
      open={known}
      {...steps}
      title={row?.title ?? ''}
      {...(row ? { id: row.requestNo } : {})}
      status={
        row ? (
          <StatusTag chip tone={invoiceTones[row.state]}>
            {t(`enums.state.${row.state}`)}
          </StatusTag>
        ) : null
      }
      actions={
        row?.can.download ? (
          <Button onClick={() => void download(fileOf(row.id))}>{t('download')}</Button>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {row ? <Body row={row} /> : null}
    </Detail>
  )
}
export const fileOf = (id: number) => `/api/finance/invoices/${id}/file`

function Body({ row }: { row: InvoiceDetail }) {
  const { t } = useTranslation('invoices')
  const target = useTarget()
  const at = (time: string | null) => (time ? <Time key="at" at={time} /> : '')
  const filled = (
    fields: readonly ('taxNo' | 'address' | 'phone' | 'bank' | 'bankAccount' | 'email')[],
  ) => fields.map((field) => [t(`fields.${field}`), row[field]] as const)
  const order = (no: string) => {
    const to = row.source === 'ORDERS' ? target(`/order/order-details/${no}`) : null
    return to ? <Link to={to}>{no}</Link> : no
  }
  return (
    <>
      <Rows
        items={[
          [t('fields.kind'), t(`enums.kind.${row.kind}`)],
          [t('fields.source'), t(`enums.source.${row.source}`)],
          [t('fields.amount'), yuan(row.amount)],
          [t('fields.taxAmount'), `${yuan(row.taxAmount)} · ${row.taxRateBp / 100}%`],
          [t('fields.orgName'), row.orgName],
          [t('fields.issuerName'), row.issuerName],
          [t('fields.requester'), row.requester],
          [t('fields.createTime'), at(row.createTime)],
          [t('fields.issuedNo'), row.issuedNo],
          [t('fields.issueTime'), at(row.issueTime)],
          [t('fields.sendTime'), row.mailing && !row.mailError ? t('mailing') : at(row.sendTime)],
          ...(row.mailError
            ? [[t('fields.mailError'), <Bad key="mail">{row.mailError}</Bad>] as const]
            : []),
          ...(row.redNo
            ? [
                [t('fields.redNo'), row.redNo] as const,
                [t('fields.redTime'), at(row.redTime)] as const,
              ]
            : []),
          ...(row.reason ? [[t('fields.reason'), row.reason] as const] : []),
        ]}
      />
      <Rows
        title={t('titlePart')}
        items={filled(['taxNo', 'address', 'phone', 'bank', 'bankAccount', 'email'])}
      />
      <Rows
        title={t('items')}
        items={row.items.map(({ no, amount }) => [order(no), yuan(amount)] as const)}
      />
      {row.refunds.length ? (
        <Rows
          title={t('refunds')}
          items={row.refunds.map(({ refundNo, time }) => [refundNo, at(time)] as const)}
        />
      ) : null}
    </>
  )
}
