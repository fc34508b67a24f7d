import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, messageOf } from '../../../web/call.ts'
import { session } from '../contract.ts'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'

/** Where the link in a message about a changed way to sign in leads; its token stands behind the hash. */
export function UndoPane({ onForgot }: PaneProps) {
  const { t } = useTranslation('session')
  const [token] = useState(() => location.hash.slice(1))
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState(/^[\w-]{43}$/.test(token) ? '' : t('undo.none'))
  const [done, setDone] = useState<{ username: string; sms: boolean } | null>(null)
  const submit = async () => {
    if (busy) return
    setBusy(true)
    try {
      setDone(await call(session.undo, { token }, { signIn: true }))
    } catch (error) {
      setFailed(messageOf(error))
    }
    setBusy(false)
  }
  if (failed)
    return (
      <p className={styles.notice} role="alert">
        {failed}
      </p>
    )
  if (done)
    return (
      <>
        <p className={styles.notice} data-good="true" role="alert">
          {t(done.sms ? 'undo.sms' : 'undo.asked', { username: done.username })}
        </p>
        {done.sms ? (
          <button type="button" className={styles.submit} onClick={onForgot}>
            {t('undo.reset')}
          </button>
        ) : null}
      </>
    )
  return (
    <>
      <p className={styles.note}>{t('undo.lead')}</p>
      <button
        type="button"
        className={styles.submit}
        aria-busy={busy}
        onClick={() => void submit()}
      >
        {t('undo.submit')}
      </button>
    </>
  )
}
