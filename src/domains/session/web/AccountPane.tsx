import { type FormEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isApiError } from '../../../web/call.ts'
import { hideLoading, showLoading } from '../../../web/loading.ts'
import { session } from '../contract.ts'
import styles from './Login.module.css'
import { PasswordRow, Submit, TextRow } from './LoginFields.tsx'
import { admitted, type Errors, errorsOf, problemsOf } from './signIn.ts'

const rememberKey = 'username'

type Props = { onForgot: () => void; onTyped: () => void; onFactor: (ticket: string) => void }

export function AccountPane({ onForgot, onTyped, onFactor }: Props) {
  const { t } = useTranslation(['web', 'session'])
  const remembered = localStorage.getItem(rememberKey) ?? ''
  const [username, setUsername] = useState(remembered)
  const [password, setPassword] = useState('')
  const [remember, setRemember] = useState(remembered !== '')
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const field = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const parsed = session.login.input.safeParse({ username, password })
    if (!parsed.success) return setErrors(problemsOf(parsed.error))
    setErrors({})
    onTyped()
    setBusy(true)
    showLoading()
    try {
      const answer = await call(session.login, parsed.data, { signIn: true })
      if (remember) localStorage.setItem(rememberKey, parsed.data.username)
      else localStorage.removeItem(rememberKey)
      admitted(answer, onFactor)
    } catch (error) {
      setErrors(errorsOf(error, { 'session.wrongCredentials': 'password' }))
      if (isApiError(error) && error.code === 401001) setPassword('')
      setBusy(false)
      setTimeout(() => field.current?.focus())
    } finally {
      hideLoading()
    }
  }
  return (
    <form onSubmit={submit} noValidate aria-labelledby="login-title">
      {errors.form ? (
        <p className={styles.notice} role="alert">
          {errors.form}
        </p>
      ) : null}
      <TextRow
        name="username"
        label={t('login.username')}
        placeholder={t('login.usernameHint')}
        autoComplete="username"
        value={username}
        onChange={setUsername}
        focus={remembered === ''}
        error={errors.username}
      />
      <PasswordRow
        name="password"
        label={t('login.password')}
        placeholder={t('login.passwordHint')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        focus={remembered !== ''}
        fieldRef={field}
        error={errors.password}
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
      <Submit busy={busy}>{t('login.submit')}</Submit>
    </form>
  )
}
