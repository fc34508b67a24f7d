import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import type { MailServer } from '../channelContract.ts'
import { alerts } from '../contract.ts'

export function MailDialog({ server, onClose }: { server: MailServer; onClose: () => void }) {
  const { t } = useTranslation('alerts')
  const { host, port, security, username, sender, version } = server
  return (
    <FormDialog
      title={t('channel.mail')}
      ns="alerts"
      width={640}
      save={alerts.saveMailServer}
      onClose={onClose}
      initial={{ version, host, port, security, username, sender }}
      toInput={({ password, ...rest }) => ({ ...rest, ...(password ? { password } : {}) })}
    >
      <TextField name="host" placeholder="smtp.example.com" />
      <NumberField name="port" min={1} max={65_535} />
      <SelectField name="security" />
      <TextField name="sender" placeholder="alerts@example.com" />
      <TextField name="username" required={false} />
      <TextField
        name="password"
        password
        required={false}
        autoComplete="new-password"
        placeholder={server.hasPassword ? t('channel.kept') : ''}
      />
    </FormDialog>
  )
}
