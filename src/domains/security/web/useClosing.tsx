import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { type SecurityRow, security } from '../contract.ts'

type Event = Pick<SecurityRow, 'id' | 'version'>

/** Somebody looked at it, and says what it was. */
export function useClosing(): { ask: (event: Event) => void; dialog: ReactNode } {
  const { t } = useTranslation('security')
  const [event, ask] = useState<Event | null>(null)
  return {
    ask,
    dialog: event ? (
      <FormDialog
        title={t('closeTitle')}
        okText={t('close')}
        ns="security"
        save={security.close}
        initial={{ id: event.id, version: event.version, remark: '' }}
        success="web:success.done"
        onClose={() => ask(null)}
      >
        <TextAreaField name="remark" rows={3} />
      </FormDialog>
    ) : null,
  }
}
