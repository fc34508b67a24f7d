import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Note, RadioField, TextField } from '../../../web/form/fields.tsx'
import type { AccountRow } from '../contract.ts'
import type { Method } from '../rules.ts'

/** A number that is there is shown masked; left as it is it stays. */
export function AccountFields(_: { row: AccountRow | undefined }) {
  const { t } = useTranslation('payoutAccounts')
  const method = Form.useWatch<Method | undefined>('method') ?? 'BANK'
  return (
    <>
      <Note>{t('hint')}</Note>
      <RadioField name="method" />
      <TextField name="holder" />
      {method === 'BANK' ? <TextField name="bankName" required /> : null}
      <TextField name="accountNo" hint={t(`numberHint.${method}`)} />
    </>
  )
}
