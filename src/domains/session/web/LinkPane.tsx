import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, messageOf } from '../../../web/call.ts'
import { alerts } from '../../alerts/contract.ts'
import { session } from '../contract.ts'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'
import { Notice } from './LoginFields.tsx'

type Props = {
  /** The texts `lead`, `submit` and `none` stand below it. */
  words: 'undo' | 'mail'
  shape: RegExp
  /** Answers what came of it. */
  take: (token: string) => Promise<ReactNode>
}

/**
 * Where the link of a message leads: what it does, and the button that does it. Its token stands
 * behind the hash.
 */
function LinkPane({ words, shape, take }: Props) {
  const { t } = useTranslation('session')
  const [token] = useState(() => location.hash.slice(1))
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState(shape.test(token) ? '' : t(`${words}.none`))
  const [done, setDone] = useState<ReactNode>(null)
  const submit = async () => {
    if (busy) return
    setBusy(true)
    await take(token).then(setDone, (error) => setFailed(messageOf(error)))
    setBusy(false)
  }
  if (failed) return <Notice>{failed}</Notice>
  if (done) return done
  return (
    <>
      <p className={styles.note}>{t(`${words}.lead`)}</p>
      <button
        type="button"
        className={styles.submit}
        aria-busy={busy}
        onClick={() => void submit()}
      >
        {t(`${words}.submit`)}
      </button>
    </>
  )
}

/** The link in a message about a changed way to sign in. */
export function UndoPane({ onForgot }: PaneProps) {
  const { t } = useTranslation('session')
  const take = async (token: string) => {
    const { username, sms } = await call(session.undo, { token }, { signIn: true })
    return (
      <>
        <Notice good>{t(sms ? 'undo.sms' : 'undo.asked', { username })}</Notice>
        {sms ? (
          <button type="button" className={styles.submit} onClick={onForgot}>
            {t('undo.reset')}
          </button>
        ) : null}
      </>
    )
  }
  return <LinkPane words="undo" shape={/^[\w-]{43}$/} take={take} />
}

/** The link in the message to a recipient of alerts. */
export function MailPane() {
  const { t } = useTranslation('session')
  const take = async (token: string) => {
    const { orgName } = await call(alerts.confirmMail, { token }, { signIn: true })
    return <Notice good>{t('mail.done', { org: orgName })}</Notice>
  }
  return <LinkPane words="mail" shape={/^\d+\.[\w-]{43}$/} take={take} />
}
