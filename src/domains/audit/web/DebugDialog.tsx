import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Fixed, NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { shortTime } from '../../../web/time.ts'
import { audit } from '../contract.ts'
import { debugMinutes } from '../rules.ts'
import styles from './audit.module.css'

type Word = { value: string; label: string }

/** Records the reads of one user or one module for at most a day; what is on can be stopped here. */
export function DebugDialog({ modules, onClose }: { modules: readonly Word[]; onClose: () => void }) {
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
      toInput={(values) => ({ ...values, username: values.username ?? '', module: values.module ?? '' })}
    >
      <Fixed label={t('debug.on')} wide>
        <Recordings />
      </Fixed>
      <TextField name="username" required={false} />
      <SelectField name="module" options={modules} required={false} />
      <NumberField name="minutes" min={1} max={debugMinutes} />
      <Alert className={styles.wide ?? ''} type="warning" showIcon title={t('debug.confirm')} />
    </FormDialog>
  )
}

function Recordings() {
  const { t } = useTranslation('audit')
  const confirm = useConfirm()
  const read = useRead(audit.debugSessions, {}, { inline: true, every: 10_000 })
  const stop = useWrite(audit.stopDebug, { success: 'audit:success.stopDebug' })
  const rows = read.data?.list ?? []
  if (rows.length === 0) return <span className={styles.quiet}>{t('debug.none')}</span>
  const ask = async (id: number) => {
    if (await confirm({ title: t('debug.stopAsk'), ok: t('debug.stop') })) stop.mutate({ id })
  }
  return (
    <ul className={styles.sessions}>
      {rows.map((row) => (
        <li key={row.id}>
          <strong>{row.username || row.moduleName}</strong>
          <span>{t('debug.until', { time: shortTime(new Date(row.until), new Date()) })}</span>
          <span className={styles.quiet}>{t('debug.by', { name: row.startedBy })}</span>
          <Button size="small" onClick={() => void ask(row.id)}>
            {t('debug.stop')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
