import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isApiError, messageOf } from '../../../web/call.ts'
import { factorErrors, session } from '../contract.ts'
import styles from './Login.module.css'
import { Submit, TextRow } from './LoginFields.tsx'
import { type Errors, enter, errorsOf, problemsOf } from './signIn.ts'

/** The second step: a code of the app, or a recovery code. */
export function FactorPane({
  ticket,
  onOver,
}: {
  ticket: string
  onOver: (message: string) => void
}) {
  const { t } = useTranslation('session')
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const parsed = session.passFactor.input.safeParse({ ticket, code })
    if (!parsed.success) return setErrors(problemsOf(parsed.error))
    setErrors({})
    setBusy(true)
    try {
      return enter((await call(session.passFactor, parsed.data, { signIn: true })).token)
    } catch (error) {
      if (isApiError(error) && error.error === factorErrors.ticketOver.name)
        return onOver(messageOf(error))
      setErrors(errorsOf(error, { [factorErrors.wrongFactor.name]: 'code' }))
      setCode('')
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
      <p className={styles.note}>{t('factor.lead')}</p>
      <TextRow
        name="code"
        icon="code"
        label={t('factor.code')}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        maxLength={40}
        focus
        error={errors.code}
      />
      <Submit busy={busy}>{t('factor.next')}</Submit>
    </form>
  )
}
