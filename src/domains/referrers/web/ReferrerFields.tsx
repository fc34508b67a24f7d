import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { BpField } from '../../../web/form/BpField.tsx'
import {
  DayField,
  Field,
  Fixed,
  RadioField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
import type { ReferrerRow } from '../contract.ts'

/** Number and name of the papers are written; what is kept shows in part. */
export function ReferrerFields({ row }: { row: ReferrerRow | undefined }) {
  const { t } = useTranslation('referrers')
  const personal = (Form.useWatch('receiveKind') ?? row?.receiveKind) === 'PERSONAL'
  const kept = (text: string | undefined) =>
    text ? { placeholder: text, hint: t('keepHint'), required: false } : {}
  return (
    <>
      <TextField name="referrerName" count />
      <TextField name="mobile" {...kept(row?.mobile)} />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <Field name="linkedOrgId">
        <OwnerSelect />
      </Field>
      <Field name="deviceIds" hint={t('devicesHint')}>
        <DevicesSelect />
      </Field>
      <BpField name="defaultBp" max={30} hint={t('shareHint')} />
      <RadioField name="receiveKind" />
      <TextField
        key={String(personal)}
        name="idName"
        required={personal && !row?.idName}
        hint={t('nameHint')}
        {...kept(row?.idName)}
      />
      <DayField name="validUntil" />
      <TextAreaField name="remark" />
    </>
  )
}
