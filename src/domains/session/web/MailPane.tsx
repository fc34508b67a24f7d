import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, messageOf } from '../../../web/call.ts'
import { alerts } from '../../alerts/contract.ts'
import styles from './Login.module.css'

/** Where the link in the message to a recipient of alerts leads; its token stands behind the hash. */
export function MailPane() {
  const { t } = useTranslation('session')
  const [token] = useState(() => location.hash.slice(1))
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState(/^\d+\.[\w-]{43}$/.test(token) ? '' : t('mail.none'))
  const [org, setOrg] = useState('')
  const submit = async () => {
    if (busy) return
    setBusy(true)
    try {
      setOrg((await call(alerts.confirmMail, { token }, { signIn: true })).orgName)
    } catch (error) {
      setFailed(messageOf(error))
    }
    setBusy(false)
  }
  if (failed || org)
    return (
      <p className={styles.notice} data-good={failed ? undefined : 'true'} role="alert">
        {failed || t('mail.done', { org })}
      </p>
    )
  return (
    <>
      <p className={styles.note}>{t('mail.lead')}</p>
      <button
        type="button"
        className={styles.submit}
        aria-busy={busy}
        onClick={() => void submit()}
      >
        {t('mail.submit')}
      </button>
    </>
  )
}
