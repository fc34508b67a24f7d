import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  ImageField,
  MoneyField,
  Note,
  SelectField,
  TextAreaField,
} from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { billing } from '../contract.ts'
import { accountCodes, referrersCodes } from '../rules.ts'

/** Money from one account to another: asked for here, booked when somebody else agrees. */
export function AdjustDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('billing')
  const confirm = useConfirm()
  const accounts = accountCodes
    .filter((code) => !referrersCodes.includes(code))
    .map((value) => ({ value, label: t(`enums.account.${value}`) }))
  return (
    <FormDialog
      ns="billing"
      title={t('adjust')}
      save={billing.adjust}
      initial={{}}
      before={() => confirm({ title: t('adjustAsk'), ok: t('adjust'), danger: true })}
      success="billing:asked"
      okText={t('adjust')}
      width={680}
      onClose={onClose}
    >
      <Note>{t('adjustAsk')}</Note>
      <Field name="debitOrgId">
        <OwnerSelect />
      </Field>
      <SelectField name="debitCode" options={accounts} />
      <Field name="creditOrgId">
        <OwnerSelect />
      </Field>
      <SelectField name="creditCode" options={accounts} />
      <MoneyField name="amount" />
      <TextAreaField name="reason" />
      <ImageField name="images" max={5} />
    </FormDialog>
  )
}
