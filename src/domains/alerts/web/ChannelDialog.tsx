import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  Fixed,
  RadioField,
  SelectField,
  SwitchField,
  TextField,
} from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { Select } from '../../../web/ui/select.tsx'
import type { ChannelRow } from '../channelContract.ts'
import { alerts } from '../contract.ts'

type Props = { row: ChannelRow | undefined; onClose: () => void }

export function ChannelDialog({ row, onClose }: Props) {
  const { t } = useTranslation('alerts')
  return (
    <FormDialog
      title={t(row ? 'channel.editTitle' : 'channel.add')}
      ns="alerts"
      width={640}
      onClose={onClose}
      save={row ? alerts.updateChannel : alerts.createChannel}
      initial={
        row
          ? pickFor(alerts.updateChannel.input, row)
          : {
              type: 'WEBHOOK',
              enabled: true,
              tellClosed: true,
              urgentThrough: true,
              lang: 'zh-CN',
              recipients: [],
              url: '',
            }
      }
      toInput={({ secret, quietFrom, quietTo, ...rest }) => ({
        ...rest,
        quietFrom: quietFrom || null,
        quietTo: quietTo || null,
        ...(secret ? { secret } : {}),
      })}
    >
      {row ? (
        <Fixed label={t('fields.type')}>{t(`enums.type.${row.type}`)}</Fixed>
      ) : (
        <RadioField name="type" wide={false} />
      )}
      <TextField name="name" count />
      <Own row={row} />
      <TextField name="quietFrom" placeholder="22:00" />
      <TextField name="quietTo" placeholder="07:00" />
      <SwitchField name="enabled" />
      <SwitchField name="tellClosed" />
      <SwitchField name="urgentThrough" wide />
    </FormDialog>
  )
}

/** What only this type has. */
function Own({ row }: { row: ChannelRow | undefined }) {
  const { t } = useTranslation('alerts')
  const chosen = Form.useWatch('type') as string | undefined
  const type = row?.type ?? chosen
  if (type === 'WEBHOOK')
    return (
      <>
        <TextField name="url" required wide placeholder="https://" />
        <TextField
          name="secret"
          password
          required={false}
          wide
          autoComplete="new-password"
          placeholder={row?.hasSecret ? t('channel.kept') : ''}
          hint={t('channel.secretHint')}
        />
      </>
    )
  if (type === 'EMAIL')
    return (
      <>
        <Field name="recipients" required wide>
          <Select
            mode="tags"
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', ';', ' ']}
            placeholder={t('channel.recipientsHint')}
          />
        </Field>
        <SelectField name="lang" wide />
      </>
    )
  return null
}
