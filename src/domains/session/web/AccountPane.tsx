import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isApiError } from '../../../web/call.ts'
import { withLoading } from '../../../web/loading.ts'
import { session, sessionErrors } from '../contract.ts'
import styles from './Login.module.css'
import { PasswordRow, TextRow } from './LoginFields.tsx'
import { admitted } from './signIn.ts'
import { PaneForm, usePane } from './usePane.tsx'

const rememberKey = 'username'
const claims = { [sessionErrors.wrongCredentials.name]: 'password' }

type Props = { onForgot: () => void; onTyped: () => void; onFactor: (ticket: string) => void }

export function AccountPane({ onForgot, onTyped, onFactor }: Props) {
  const { t } = useTranslation(['web', 'session'])
  const remembered = localStorage.getItem(rememberKey) ?? ''
  const pane = usePane({ username: remembered, password: '' })
  const [remember, setRemember] = useState(remembered !== '')
  const field = useRef<HTMLInputElement>(null)
  const submit = async () => {
    onTyped()
    const answer = await withLoading(
      pane.send(session.login, pane.values, claims, (error) => {
        if (isApiError(error) && error.code === 401001) pane.set('password', '')
        setTimeout(() => field.current?.focus())
      }),
    )
    if (!answer) return
    if (remember) localStorage.setItem(rememberKey, pane.values.username.trim())
    else localStorage.removeItem(rememberKey)
    admitted(answer, onFactor)
  }
  return (
    <PaneForm pane={pane} work={submit} ok={t('login.submit')}>
      <TextRow
        {...pane.field('username')}
        label={t('login.username')}
        placeholder={t('login.usernameHint')}
        autoComplete="username"
        focus={remembered === ''}
      />
      <PasswordRow
        {...pane.field('password')}
        label={t('login.password')}
        placeholder={t('login.passwordHint')}
        autoComplete="current-password"
        focus={remembered !== ''}
        fieldRef={field}
      />
      <div className={styles.between}>
        <label className={styles.remember}>
          <input
            type="checkbox"
            checked={remember}
            onChange={(event) => setRemember(event.target.checked)}
          />
          {t('login.remember')}
        </label>
        <button type="button" className={styles.link} onClick={onForgot}>
          {t('session:ways.forgot')}
        </button>
      </div>
    </PaneForm>
  )
}
