import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { Section } from '../../../../web/FormPage.tsx'
import { Note, NumberField, SwitchField, TextField } from '../../../../web/form/fields.tsx'
import { devices } from '../../contract.ts'

/** First number and count, with what the batch would take before anything is saved. */
export function BatchNumbers() {
  const { t } = useTranslation('devices')
  const form = Form.useFormInstance()
  const start = Form.useWatch('start', form) as string | undefined
  const count = Form.useWatch('count', form) as number | undefined
  const skipExisting = Form.useWatch('skipExisting', form) === true
  const asked = devices.previewBatch.input.safeParse({ start, count, skipExisting })
  const preview = useRead(devices.previewBatch, asked.data ?? { start: 'HD0001', count: 1 }, {
    enabled: asked.success,
    inline: true,
    keep: true,
  })
  const found = asked.success ? preview.data : undefined
  const conflicts = found?.conflicts.length ?? 0
  return (
    <Section title={t('form.numbers')} purpose={t('form.numbersPurpose')}>
      <TextField name="start" placeholder="HD000098" />
      <NumberField name="count" />
      <SwitchField name="skipExisting" />
      {preview.error && asked.success ? <Note type="warning">{preview.error.message}</Note> : null}
      {found && !preview.error ? (
        <Note type={conflicts > 0 && !skipExisting ? 'warning' : 'info'}>
          {t('form.preview', { first: found.first, last: found.last, n: found.numbers.length })}
          {conflicts > 0 ? (
            <>
              <br />
              {skipExisting
                ? t('form.skipped', { n: conflicts })
                : t('form.conflicts', {
                    n: conflicts,
                    list: found.conflicts.slice(0, 5).join(' '),
                  })}
            </>
          ) : null}
        </Note>
      ) : null}
    </Section>
  )
}
