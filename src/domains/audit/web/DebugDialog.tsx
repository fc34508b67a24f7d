import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Fixed, Note, NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { shortTime } from '../../../web/time.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { audit } from '../contract.ts'
import { debugMinutes } from '../rules.ts'

type Word = { value: string; label: string }

/**
 * Records the reads of one user or one module for at most a day; what is on can be stopped here.
 */
export function DebugDialog({
  modules,
  onClose,
}: {
  modules: readonly Word[]
  onClose: () => void
}) {
  const { t } = useTranslation('audit')
  return (
    <FormDialog
      title={t('debug.title')}
      ns="audit"
      width={560}
      okText={t('debug.start')}
      onClose={onClose}
      save={audit.debug}
      success="audit:success.debug"
      initial={{ username: '', module: undefined, minutes: 60 }}
      toInput={(values) => ({
        ...values,
        username: values.username ?? '',
        module: values.module ?? '',
      })}
    >
      <Fixed label={t('debug.on')} wide>
        <Recordings />
      </Fixed>
      <TextField name="username" required={false} />
      <SelectField name="module" options={modules} required={false} />
      <NumberField name="minutes" min={1} max={debugMinutes} />
      <Note type="warning">{t('debug.confirm')}</Note>
    </FormDialog>
  )
}

function Recordings() {
  const { t } = useTranslation('audit')
  const read = useRead(audit.debugSessions, {}, { inline: true, every: 10_000 })
  const stop = useAct(audit.stopDebug, {
    ask: t('debug.stopAsk'),
    ok: t('debug.stop'),
    danger: false,
    success: 'audit:success.stopDebug',
  })
  const rows = read.data?.list ?? []
  if (rows.length === 0) return <Muted>{t('debug.none')}</Muted>
  return (
    <Flex vertical gap={8} flex={1}>
      {rows.map((row) => (
        <Flex key={row.id} wrap align="center" gap="8px 12px">
          <strong style={{ flex: 1 }}>{row.username || row.moduleName}</strong>
          {t('debug.until', { time: shortTime(new Date(row.until), new Date()) })}
          <Muted>{t('debug.by', { name: row.startedBy })}</Muted>
          <Button size="small" onClick={() => void stop(row)}>
            {t('debug.stop')}
          </Button>
        </Flex>
      ))}
    </Flex>
  )
}
