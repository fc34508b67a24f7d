import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Field, Note, RadioField, TextField } from '../../../web/form/fields.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import type { AccountRow } from '../contract.ts'
import type { Method } from '../rules.ts'

/** A number that is there is shown masked; left as it is it stays. */
export function AccountFields({ row }: { row: AccountRow | undefined }) {
  const { t } = useTranslation('payoutAccounts')
  const method = Form.useWatch<Method | undefined>('method') ?? 'BANK'
  const may = useMay()
  const { orgName } = useUser()
  const form = Form.useFormInstance()
  const chosen = Form.useWatch<number | null | undefined>('referrerId') ?? row?.referrerId ?? null
  // another name for another owner
  const changed = (one: unknown) => form.setFieldValue('holder', one ? '' : orgName)
  return (
    <>
      <Note>{t(chosen === null ? 'hint' : 'personHint')}</Note>
      {row || !may('referrer:read') ? null : (
        <Field name="referrerId" label={t('whose')}>
          <ReferrerSelect own placeholder={t('ownMoney')} onPick={changed} />
        </Field>
      )}
      <RadioField name="method" />
      <TextField name="holder" />
      {method === 'BANK' ? <TextField name="bankName" required /> : null}
      <TextField name="accountNo" hint={t(`numberHint.${method}`)} />
    </>
  )
}
