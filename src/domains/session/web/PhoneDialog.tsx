import { Form, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { queryClient } from '../../../web/api.ts'
import { call, messageOf } from '../../../web/call.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, TextField } from '../../../web/form/fields.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { session, sessionErrors } from '../contract.ts'
import { CodeButton } from './CodeButton.tsx'

const nothing = {}

/** A code goes to the new number: it must be the person's. */
export function PhoneDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('session')
  return (
    <FormDialog
      title={t('me.changePhoneTitle')}
      ns="session"
      save={session.changePhone}
      initial={nothing}
      success="web:success.done"
      claims={{ [sessionErrors.wrongCode.name]: 'smsCode' }}
      onSaved={(saved) => queryClient.setQueryData([session.profile.path, {}], saved)}
      onClose={onClose}
    >
      <TextField name="phone" label={t('me.newPhone')} wide autoComplete="tel-national" />
      <Code />
    </FormDialog>
  )
}

function Code() {
  const { lang } = usePrefs()
  const form = Form.useFormInstance()
  const [note, setNote] = useState('')
  const { t } = useTranslation('session')
  const send = async () => {
    const parsed = session.loginsend.input.safeParse({
      channel: 'sms',
      purpose: 'changePhone',
      phone: form.getFieldValue('phone') || undefined,
    })
    if (!parsed.success) {
      form.setFields([
        { name: 'phone', errors: [say(parsed.error.issues[0]?.message ?? '', lang)] },
      ])
      return null
    }
    try {
      const answer = await call(session.loginsend, parsed.data)
      setNote(t('code.sent'))
      return 'retryAfter' in answer ? answer.retryAfter : null
    } catch (error) {
      setNote(messageOf(error))
      return null
    }
  }
  return (
    <Field name="smsCode" wide hint={note}>
      <Input
        maxLength={6}
        inputMode="numeric"
        autoComplete="one-time-code"
        suffix={<CodeButton send={send} />}
      />
    </Field>
  )
}
