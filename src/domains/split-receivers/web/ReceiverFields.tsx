import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Note, RadioField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { type ReceiverRow, splitReceivers } from '../contract.ts'

/** Where somebody is paid is chosen once; name and relation may change. */
export function ReceiverFields({ row }: { row: ReceiverRow | undefined }) {
  const { t } = useTranslation('splitReceivers')
  const configId = Form.useWatch<number | null | undefined>('configId') ?? null
  const kind = Form.useWatch<ReceiverRow['kind'] | undefined>('kind') ?? 'MERCHANT_ID'
  const input = configId === null ? {} : { configId }
  const { data } = useRead(splitReceivers.choices, input, { enabled: !row, keep: true })
  if (row)
    return (
      <>
        <Note>{t('keptHint')}</Note>
        <SelectField name="relation" />
        <TextField name="holderName" />
      </>
    )
  const merchant = data?.merchants.find(({ id }) => id === configId)
  const channel = merchant?.provider === 'ALIPAY' ? 'ALIPAY' : 'WECHAT'
  return (
    <>
      <Note>{t('hint')}</Note>
      <SelectField
        name="configId"
        placeholder={t('simulator')}
        options={(data?.merchants ?? []).map(({ id, name, provider }) => ({
          value: id,
          label: `${name} · ${t(`enums.provider.${provider}`)}`,
        }))}
      />
      <SelectField
        name="partyId"
        required
        options={(data?.parties ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
      <RadioField name="kind" />
      <TextField name="account" hint={t(`accountHint.${channel}.${kind}`)} />
      <TextField name="holderName" required />
      <SelectField name="relation" />
    </>
  )
}
