import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from '../../../web/base.ts'
import { call, isApiError } from '../../../web/call.ts'
import { session } from '../contract.ts'
import { CodeButton } from './CodeButton.tsx'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'
import { Submit, TextRow } from './LoginFields.tsx'
import { admitted, type Errors, errorsOf, problemsOf } from './signIn.ts'
import { useMethods } from './useMethods.ts'

/** Phone and code; a username when several accounts have the number. */
export function SmsPane({ onFactor }: PaneProps) {
  const { t } = useTranslation(['web', 'session'])
  const methods = useMethods()
  const [phone, setPhone] = useState('')
  const [smsCode, setCode] = useState('')
  const [username, setUsername] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [note, setNote] = useState('')
  const [errors, setErrors] = useState<Errors>({})
  if (methods?.sms === false)
    return <p className={styles.notice}>{t('session:code.unavailable')}</p>

  const send = async () => {
    const parsed = session.loginsend.input.safeParse({
      channel: 'sms',
      purpose: 'login',
      phone: phone || undefined,
    })
    if (!parsed.success) {
      setErrors(problemsOf(parsed.error))
      return null
    }
    setErrors({})
    try {
      const answer = await call(session.loginsend, parsed.data, { signIn: true })
      setNote(t('session:code.sent'))
      return 'retryAfter' in answer ? answer.retryAfter : null
    } catch (error) {
      setErrors(errorsOf(error))
      return null
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const parsed = session.loginv.input.safeParse({
      channel: 'sms',
      phone: phone || undefined,
      ...(smsCode ? { smsCode } : {}),
      ...(username ? { username } : {}),
    })
    if (!parsed.success) return setErrors(problemsOf(parsed.error))
    setErrors({})
    setBusy(true)
    try {
      if (admitted(await call(session.loginv, parsed.data, { signIn: true }), onFactor)) return
    } catch (error) {
      if (isApiError(error) && error.error === 'session.ambiguousPhone')
        setUsername((held) => held ?? '')
      setErrors(
        errorsOf(error, { 'session.wrongCode': 'smsCode', 'session.ambiguousPhone': 'username' }),
      )
    }
    setBusy(false)
  }
  return (
    <form onSubmit={submit} noValidate aria-labelledby="login-title">
      {errors.form ? (
        <p className={styles.notice} role="alert">
          {errors.form}
        </p>
      ) : null}
      <TextRow
        name="phone"
        icon="phone"
        label={t('session:fields.mobile')}
        value={phone}
        onChange={setPhone}
        numeric
        maxLength={20}
        autoComplete="tel-national"
        focus
        error={errors.phone}
      />
      <TextRow
        name="smsCode"
        icon="code"
        label={t('session:fields.smsCode')}
        value={smsCode}
        onChange={setCode}
        numeric
        maxLength={6}
        autoComplete="one-time-code"
        error={errors.smsCode}
        after={<CodeButton send={send} />}
      />
      {username === null ? null : (
        <TextRow
          name="username"
          label={t('login.username')}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          focus
          error={errors.username}
        />
      )}
      <p className={styles.note} role="status">
        {note}
        {methods?.demo ? (
          <a className={styles.link} href={href('/dev/inbox')} target="_blank" rel="noreferrer">
            {t('session:code.inbox')}
          </a>
        ) : null}
      </p>
      <Submit busy={busy}>{t('login.submit')}</Submit>
    </form>
  )
}
