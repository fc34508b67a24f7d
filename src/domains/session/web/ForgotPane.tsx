import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from '../../../web/base.ts'
import { call } from '../../../web/call.ts'
import { newPasswordErrors, session, sessionErrors } from '../contract.ts'
import { CodeButton } from './CodeButton.tsx'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'
import { PasswordRow, Submit, TextRow } from './LoginFields.tsx'
import { type Errors, errorsOf, problemsOf } from './signIn.ts'
import { useMethods } from './useMethods.ts'

const claims = {
  [sessionErrors.wrongCode.name]: 'smsCode',
  ...Object.fromEntries(newPasswordErrors.map((error) => [error.name, 'password'])),
}

/** Username and phone of the account, a code, a new password. Without SMS the administrator is asked. */
export function ForgotPane({ onDone }: PaneProps) {
  const { t } = useTranslation(['web', 'session'])
  const methods = useMethods()
  const [values, setValues] = useState({
    username: '',
    phone: '',
    smsCode: '',
    password: '',
    repeat: '',
  })
  const [busy, setBusy] = useState(false)
  const [note, setNote] = useState('')
  const [errors, setErrors] = useState<Errors>({})
  const bare = methods?.sms === false
  const field = (name: keyof typeof values) => ({
    name,
    value: values[name],
    error: errors[name],
    onChange: (value: string) => setValues((held) => ({ ...held, [name]: value })),
  })
  const send = async () => {
    const parsed = session.loginsend.input.safeParse({
      channel: 'sms',
      purpose: 'reset',
      username: values.username,
      phone: values.phone || undefined,
    })
    if (!parsed.success) {
      setErrors(problemsOf(parsed.error))
      return null
    }
    setErrors({})
    try {
      const answer = await call(session.loginsend, parsed.data, { signIn: true })
      if (!('sent' in answer)) return null
      setNote(t(answer.sent ? 'session:code.sent' : 'session:forgot.pending'))
      return answer.retryAfter
    } catch (error) {
      setErrors(errorsOf(error))
      return null
    }
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy || bare) return
    const parsed = session.passwordReset.input.safeParse(
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
    )
    if (!parsed.success) return setErrors(problemsOf(parsed.error))
    setErrors({})
    setBusy(true)
    try {
      await call(session.passwordReset, parsed.data, { signIn: true })
      onDone(t('session:success.reset'))
    } catch (error) {
      setErrors(errorsOf(error, claims))
      setBusy(false)
    }
  }
  return (
    <form onSubmit={submit} noValidate aria-labelledby="login-title">
      {errors.form ? (
        <p className={styles.notice} role="alert">
          {errors.form}
        </p>
      ) : null}
      <p className={styles.note}>{t('session:forgot.lead')}</p>
      <TextRow {...field('username')} label={t('login.username')} autoComplete="username" focus />
      <TextRow
        {...field('phone')}
        icon="phone"
        label={t('session:fields.mobile')}
        autoComplete="tel-national"
        numeric
        maxLength={20}
      />
      {bare ? (
        <CodeButton send={send} label={t('session:forgot.ask')} />
      ) : (
        <>
          <TextRow
            {...field('smsCode')}
            icon="code"
            label={t('session:fields.smsCode')}
            autoComplete="one-time-code"
            numeric
            maxLength={6}
            after={<CodeButton send={send} />}
          />
          <PasswordRow
            {...field('password')}
            label={t('session:fields.newPassword')}
            autoComplete="new-password"
          />
          <PasswordRow
            {...field('repeat')}
            label={t('session:fields.repeat')}
            autoComplete="new-password"
          />
        </>
      )}
      <p className={styles.note} role="status">
        {note}
        {methods?.demo ? (
          <a className={styles.link} href={href('/dev/inbox')} target="_blank" rel="noreferrer">
            {t('session:code.inbox')}
          </a>
        ) : null}
      </p>
      {bare ? null : <Submit busy={busy}>{t('session:forgot.submit')}</Submit>}
    </form>
  )
}
