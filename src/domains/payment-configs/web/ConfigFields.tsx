import { Form } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { BpField } from '../../../web/form/BpField.tsx'
import {
  Field,
  Fixed,
  ImageField,
  Note,
  NumberField,
  SelectField,
  SwitchField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { Provider } from '../../payment-channels/rules.ts'
import type { ConfigRow } from '../contract.ts'
import { freezeDaysOf, hasDriver, usualCapBp } from '../rules.ts'
import { KeyFields } from './KeyFields.tsx'

/** The organisation is chosen once, the first keys are entered here; later ones have their own act. */
export function ConfigFields({ row }: { row: ConfigRow | undefined }) {
  const { t } = useTranslation('paymentConfigs')
  const provider = (Form.useWatch('provider') ?? row?.provider ?? 'SIMULATOR') as Provider
  const capped = Number(Form.useWatch('splitCapBp') ?? 0) > usualCapBp
  const driven = hasDriver(provider)
  const form = Form.useFormInstance()
  const fresh = row === undefined
  useEffect(() => {
    if (fresh && !form.isFieldTouched('freezeDays'))
      form.setFieldValue('freezeDays', freezeDaysOf(provider))
  }, [form, fresh, provider])
  return (
    <>
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.operatorName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <TextField name="merchantName" count />
      <TextField name="systemId" />
      <TextField name="userName" />
      <SelectField name="provider" required />
      <SelectField name="collectorKind" required />
      {driven ? (
        <>
          <TextField name="mchId" required />
          <TextField name="appId" required />
          {provider === 'WECHAT' ? <TextField name="subMchId" /> : null}
        </>
      ) : null}
      {row && row.provider !== provider ? <Note type="warning">{t('keysGone')}</Note> : null}
      {row ? null : <KeyFields provider={provider} first />}
      <BpField name="feeBp" max={2} />
      <NumberField name="freezeDays" min={1} max={365} />
      <BpField name="splitCapBp" hint={t('capHint')} />
      <SwitchField name="refundFeeReturned" />
      <ImageField name="capApproval" required={capped} />
      <TextField name="settleBank" />
      <TextField name="settleHolder" />
      <TextField
        name="settleAccount"
        {...(row?.settleTail ? { placeholder: `•••• ${row.settleTail}` } : {})}
        {...(row ? { hint: t('accountHint') } : {})}
      />
    </>
  )
}
