import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { href, safeRedirect } from '../../../web/base.ts'
import { call, isApiError, messageOf } from '../../../web/call.ts'
import { hideLoading, showLoading } from '../../../web/loading.ts'
import { Logo } from '../../../web/pictures/silhouettes.tsx'
import { setPrefs, usePrefs } from '../../../web/prefs.ts'
import { setToken, takeFlash } from '../../../web/token.ts'
import { session } from '../contract.ts'
import styles from './Login.module.css'
import { VendingMachine } from './VendingMachine.tsx'

const rememberKey = 'username'
type Errors = { username?: string; password?: string; form?: string }

/** Plain controls instead of antd: this page must stay light (its JavaScript is what every first visit waits for). */
export function Login() {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const remembered = localStorage.getItem(rememberKey) ?? ''
  const [username, setUsername] = useState(remembered)
  const [password, setPassword] = useState('')
  const [remember, setRemember] = useState(remembered !== '')
  const [shown, setShown] = useState(false)
  const [caps, setCaps] = useState(false)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const [flash, setFlash] = useState<string | null>(null)
  const passwordField = useRef<HTMLInputElement>(null)

  useEffect(() => {
    document.title = `${t('login.title')} - ${t('product')}`
  }, [t])
  useEffect(() => setFlash((held) => held ?? takeFlash()), [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const parsed = session.login.input.safeParse({ username, password })
    if (!parsed.success) {
      const found: Errors = {}
      for (const issue of parsed.error.issues) found[issue.path[0] === 'username' ? 'username' : 'password'] ??= say(issue.message, lang)
      return setErrors(found)
    }
    setErrors({})
    setFlash(null)
    setBusy(true)
    showLoading()
    try {
      const { token } = await call(session.login, parsed.data, { signIn: true })
      setToken(token)
      if (remember) localStorage.setItem(rememberKey, parsed.data.username)
      else localStorage.removeItem(rememberKey)
      history.replaceState(null, '', href(safeRedirect(new URLSearchParams(location.search).get('redirect'))))
      dispatchEvent(new PopStateEvent('popstate'))
    } catch (error) {
      const fields = isApiError(error) ? error.errors : []
      setErrors(
        fields.length > 0
          ? Object.fromEntries(fields.map((field) => [field.field, field.message]))
          : isApiError(error) && error.code === 401001
            ? { password: messageOf(error) }
            : { form: messageOf(error) },
      )
      if (isApiError(error) && error.code === 401001) setPassword('')
      setBusy(false)
      setTimeout(() => passwordField.current?.focus())
    } finally {
      hideLoading()
    }
  }

  const watchCaps = (event: KeyboardEvent) => setCaps(event.getModifierState('CapsLock'))
  return (
    <div className={styles.page}>
      <aside className={styles.panel}>
        <div className={styles.brand}>
          <Logo size={36} onBrand />
          <strong>{t('product')}</strong>
          {lang === 'zh-CN' ? <span>Huodao</span> : null}
        </div>
        <VendingMachine />
        <div className={styles.claim}>
          <p className={styles.slogan}>{t('login.slogan')}</p>
          <p>{t('login.lead')}</p>
          <small>{t('version', { version: __VERSION__ })}</small>
        </div>
      </aside>
      <main className={styles.side}>
        <button
          type="button"
          className={styles.language}
          lang={lang === 'en' ? 'zh-CN' : 'en'}
          onClick={() => setPrefs({ lang: lang === 'en' ? 'zh-CN' : 'en' })}
        >
          <svg width="15" height="15" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.2" aria-hidden="true">
            <circle cx="8" cy="8" r="6.4" />
            <path d="M1.6 8h12.8M2.6 4.6h10.8M2.6 11.4h10.8M8 1.6c-4.300 4-4.300 8.800 0 12.800M8 1.6c4.300 4 4.300 8.800 0 12.800" />
          </svg>
          {t('otherLang')}
        </button>
        <form className={styles.form} onSubmit={submit} noValidate aria-labelledby="login-title">
          <h1 id="login-title">{t('login.title')}</h1>
          {flash || errors.form ? (
            <p className={styles.notice} role="alert">
              {errors.form ?? flash}
            </p>
          ) : null}
          <Row name="username" label={t('login.username')} error={errors.username}>
            <input
              id="username"
              name="username"
              autoComplete="username"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={200}
              placeholder={t('login.usernameHint')}
              value={username}
              onChange={(event) => setUsername(event.target.value)}
              autoFocus={remembered === ''}
              aria-invalid={errors.username !== undefined}
              aria-describedby="username-error"
            />
          </Row>
          <Row name="password" label={t('login.password')} error={errors.password} hint={caps ? t('login.capsLock') : undefined}>
            <input
              id="password"
              name="password"
              ref={passwordField}
              type={shown ? 'text' : 'password'}
              autoComplete="current-password"
              maxLength={128}
              placeholder={t('login.passwordHint')}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              onKeyUp={watchCaps}
              onBlur={() => setCaps(false)}
              autoFocus={remembered !== ''}
              aria-invalid={errors.password !== undefined}
              aria-describedby="password-error"
            />
            <button
              type="button"
              className={styles.eye}
              aria-label={t(shown ? 'login.hide' : 'login.show')}
              title={t(shown ? 'login.hide' : 'login.show')}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            >
              <Eye open={shown} />
            </button>
          </Row>
          <label className={styles.remember}>
            <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
            {t('login.remember')}
          </label>
          <button type="submit" className={styles.submit} aria-busy={busy}>
            {busy ? <span className={styles.spin} aria-hidden="true" /> : null}
            {t('login.submit')}
          </button>
        </form>
      </main>
    </div>
  )
}

type RowProps = { name: 'username' | 'password'; label: string; error: string | undefined; hint?: string | undefined; children: React.ReactNode }

function Row({ name, label, error, hint, children }: RowProps) {
  return (
    <div className={styles.row}>
      <label htmlFor={name}>{label}</label>
      <div className={styles.field} data-error={error !== undefined}>
        <svg width="15" height="15" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.3" aria-hidden="true">
          {name === 'username' ? (
            <path d="M8 8.200a3.300 3.300 0 1 0 0-6.600 3.300 3.300 0 0 0 0 6.600zM2 14.600c.4-3.400 2.600-5.200 6-5.200s5.600 1.800 6 5.200" />
          ) : (
            <path d="M2.800 7h10.400v7.200H2.800zM5 7V4.600a3 3 0 0 1 6 0V7M8 9.800v1.800" />
          )}
        </svg>
        {children}
      </div>
      <p id={`${name}-error`} className={error ? styles.error : styles.hint} aria-live="polite">
        {error ?? hint}
      </p>
    </div>
  )
}

const Eye = ({ open }: { open: boolean }) => (
  <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.200" aria-hidden="true">
    <path d="M1 8c1.800-3 4.100-4.500 7-4.500S13.200 5 15 8c-1.800 3-4.100 4.500-7 4.500S2.800 11 1 8z" />
    <circle cx="8" cy="8" r="2.100" />
    {open ? null : <path d="M2.500 13.500l11-11" />}
  </svg>
)
