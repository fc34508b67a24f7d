import { Button, Flex, Form, QRCode } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { yuan } from '../../../shared/money.ts'
import { useRead, useWrite } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Rows } from '../../../web/Detail.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  ImageField,
  MoneyField,
  Note,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { zonedTime } from '../../../web/time.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { payoutAccounts } from '../../payout-accounts/contract.ts'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import { type WithdrawalRow, withdrawals } from '../contract.ts'

type Close = { onClose: () => void }
type Props = Close & { row: WithdrawalRow }
const start = ({ id, version }: WithdrawalRow) => ({ id, version })

/** Of the own organisation, or of a referrer of hers: what may be had, and where it may go. */
function AskFields() {
  const { t } = useTranslation('withdrawals')
  const may = useMay()
  const form = Form.useFormInstance()
  const chosen = Form.useWatch<number | null | undefined>('referrerId') ?? null
  const whose = chosen === null ? {} : { referrerId: chosen }
  const funds = useRead(withdrawals.funds, whose, { staleTime: 5000 }).data
  const accounts = useRead(payoutAccounts.options, whose, { staleTime: 5000 })
  const none = accounts.data?.list.length === 0
  const changed = () => form.setFieldValue('accountId', null)
  return (
    <>
      {may('referrer:read') ? (
        <Field name="referrerId" label={t('whose')}>
          <ReferrerSelect own placeholder={t('ownMoney')} onPick={changed} />
        </Field>
      ) : null}
      <Note type={none ? 'warning' : 'info'}>
        {none
          ? t('noAccount')
          : funds
            ? `${t('funds', { available: yuan(funds.available) })} · ${t('leftToday', { n: funds.left })}`
            : null}
      </Note>
      <MoneyField name="amount" />
      <Field name="accountId">
        <OptionSelect
          key={chosen ?? 0}
          from={payoutAccounts.options}
          input={whose}
          text={({ method, bankName, accountNo }) =>
            `${t(`enums.method.${method}`)} ${bankName} ${accountNo}`
          }
        />
      </Field>
      <TextField name="remark" />
    </>
  )
}

export function AskDialog({ referrerId, onClose }: Close & { referrerId: number | null }) {
  const { t } = useTranslation('withdrawals')
  return (
    <FormDialog
      ns="withdrawals"
      title={t('ask')}
      okText={t('ask')}
      save={withdrawals.create}
      initial={{ referrerId }}
      success="withdrawals:askedDone"
      onClose={onClose}
    >
      <AskFields />
    </FormDialog>
  )
}

export function RejectDialog({ row, onClose }: Props) {
  const { t } = useTranslation('withdrawals')
  return (
    <FormDialog
      ns="withdrawals"
      title={`${t('reject')} ${row.withdrawalNo}`}
      okText={t('reject')}
      danger
      save={withdrawals.reject}
      initial={start(row)}
      success="withdrawals:done"
      onClose={onClose}
    >
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function OfflineDialog({ row, onClose }: Props) {
  const { t } = useTranslation('withdrawals')
  return (
    <FormDialog
      ns="withdrawals"
      title={`${t('offline')} ${row.withdrawalNo}`}
      okText={t('offline')}
      save={withdrawals.offlinePaid}
      initial={{ ...start(row), fee: 0 }}
      success="withdrawals:done"
      onClose={onClose}
    >
      <Note>{`${row.referrerName || row.orgName} · ${row.holder} · ${row.bankName} ${row.accountNo} · ${yuan(row.amount)}`}</Note>
      <MoneyField name="fee" />
      <ImageField name="voucher" />
    </FormDialog>
  )
}

/** The whole number, when somebody asks for it: that is logged. */
export function PayeeDialog({ row, onClose }: Props) {
  const { t } = useTranslation('withdrawals')
  const [seen, setSeen] = useState<Output<typeof withdrawals.payee> | null>(null)
  const see = useWrite(withdrawals.payee, { onSuccess: setSeen })
  return (
    <Modal open title={t('payee')} footer={null} onCancel={onClose}>
      <Rows
        title={row.withdrawalNo}
        items={[
          [t('fields.method'), t(`enums.method.${row.method}`)],
          [t('fields.holder'), seen?.holder ?? row.holder],
          [t('fields.bankName'), row.bankName],
          [
            t('fields.account'),
            seen === null ? (
              <Flex key="see" gap={8} align="center" wrap>
                {row.accountNo}
                <Button size="small" onClick={() => see.mutate({ id: row.id })}>
                  {t('payee')}
                </Button>
              </Flex>
            ) : (
              <span key="account">
                {seen.account} <CopyButton text={seen.account} />
              </span>
            ),
          ],
          [t('fields.amount'), yuan(row.amount)],
        ]}
      />
      <Note>{t('payeeHint')}</Note>
    </Modal>
  )
}

/** The page of the payee, to be sent to him or scanned; it is made when somebody asks for it. */
export function ConfirmDialog({ row, onClose }: Props) {
  const { t } = useTranslation('withdrawals')
  const { mutate, data } = useWrite(withdrawals.confirmCode)
  useEffect(() => mutate({ id: row.id }), [mutate, row.id])
  return (
    <Modal open title={t('confirmCode')} footer={null} width={400} onCancel={onClose}>
      {data ? (
        <>
          <Lead>{t('confirmHint', { time: zonedTime(new Date(data.expireTime)) })}</Lead>
          <Flex vertical align="center" gap={12}>
            <QRCode value={data.url} size={224} color="#000" bgColor="#fff" />
            <CopyButton text={data.url} label={t('web:action.copy')} />
          </Flex>
        </>
      ) : null}
    </Modal>
  )
}
