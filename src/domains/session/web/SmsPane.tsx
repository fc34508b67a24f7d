import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isApiError } from '../../../web/call.ts'
import { session, sessionErrors } from '../contract.ts'
import type { PaneProps } from './Login.tsx'
import { Notice, TextRow } from './LoginFields.tsx'
import { admitted } from './signIn.ts'
import { PaneForm, useCode, usePane } from './usePane.tsx'

const { wrongCode, ambiguousPhone } = sessionErrors
const claims = { [wrongCode.name]: 'smsCode', [ambiguousPhone.name]: 'username' }

/** Phone and code; a username when several accounts have the number. */
export function SmsPane({ onFactor }: PaneProps) {
  const { t } = useTranslation(['web', 'session'])
  const pane = usePane({ phone: '', smsCode: '', username: '' })
  const [several, setSeveral] = useState(false)
  const code = useCode(pane, () => ({ purpose: 'login', ...pane.typed('phone') }))
  if (!code.possible) return <Notice>{t('session:code.unavailable')}</Notice>
  const submit = async () => {
    const input = { channel: 'sms', ...pane.typed('phone', 'smsCode', 'username') }
    const answer = await pane.send(session.loginv, input, claims, (error) => {
      if (isApiError(error) && error.error === ambiguousPhone.name) setSeveral(true)
    })
    if (answer) admitted(answer, onFactor)
  }
  return (
    <PaneForm pane={pane} work={submit} ok={t('login.submit')}>
      {code.phone(true)}
      {code.code}
      {several ? (
        <TextRow
          {...pane.field('username')}
          label={t('login.username')}
          autoComplete="username"
          focus
        />
      ) : null}
      {code.note}
    </PaneForm>
  )
}
