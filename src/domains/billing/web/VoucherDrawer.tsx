import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { ImageField, Note, TextAreaField } from '../../../web/form/fields.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { Time } from '../../../web/Time.tsx'
import { billing } from '../contract.ts'
import type { Voucher } from '../ledgerContract.ts'

/** All entries of a voucher, whichever of them was looked at. */
export function VoucherDrawer({ id, ...beside }: DetailProps) {
  const { t } = useTranslation('billing')
  const voucherId = Number(id.split('.')[0])
  const read = useRead(billing.voucher, { voucherId }, { inline: true })
  const [reversing, setReversing] = useState(false)
  const row = read.data
  return (
    <>
      <Detail
        open
        {...beside}
        title={row?.voucherNo ?? ''}
        loading={read.isPending}
        error={read.error}
        onRetry={() => void read.refetch()}
        actions={
          row?.can.reverse ? (
            <Button danger onClick={() => setReversing(true)}>
              {t('reverse')}
            </Button>
          ) : null
        }
      >
        {row ? <Body row={row} /> : null}
      </Detail>
      {reversing && row ? (
        <FormDialog
          ns="billing"
          title={t('reverseOf', { no: row.voucherNo })}
          save={billing.reverse}
          initial={{ voucherId }}
          danger
          success="billing:asked"
          okText={t('reverse')}
          onClose={() => setReversing(false)}
        >
          <Note>{t('reverseHint')}</Note>
          <TextAreaField name="reason" />
          <ImageField name="images" max={5} />
        </FormDialog>
      ) : null}
    </>
  )
}

function Body({ row }: { row: Voucher }) {
  const { t } = useTranslation('billing')
  const side = ({ debit, credit }: Voucher['entries'][number]) => (
    <>
      {t(debit === null ? 'fields.credit' : 'fields.debit')} <Money fen={debit ?? credit} strong />
    </>
  )
  return (
    <>
      <Rows
        items={[
          [t('fields.type'), t(`enums.type.${row.type}`)],
          [t('fields.summary'), row.summary && t(`enums.summary.${row.summary}`)],
          [t('fields.createTime'), <Time key="at" at={row.createTime} style="full" />],
          [t('fields.related'), row.related],
          [t('fields.operator'), row.operator || t('system')],
          [t('fields.reason'), row.reason],
          [t('reversedBy'), row.reversedBy],
        ]}
      />
      <Rows
        title={t('entries')}
        items={row.entries.map((entry) => [
          [t(`enums.account.${entry.account}`), entry.merchantName, entry.orgName]
            .filter(Boolean)
            .join(' · '),
          side(entry),
        ])}
      />
      {row.whole ? null : <Note>{t('partOfVoucher')}</Note>}
      {row.images.map((src) => (
        <Picture key={src} src={src} size={96} />
      ))}
    </>
  )
}
