import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { call, isApiError, messageOf } from '../../../web/call.ts'
import { session } from '../contract.ts'
import styles from './Login.module.css'
import { Notice, TextRow } from './LoginFields.tsx'
import { PaneForm, usePane } from './usePane.tsx'

/** Who this phone is, as the server signed it; only the made-up identity of the demo is kept. */
const key = 'scanIdentity'
type Found = Output<typeof session.scan>
type Step =
  | { at: 'work' }
  | { at: 'nickname' }
  | { at: 'ask'; identity: string; found: Found }
  | { at: 'done'; text: string }
  | { at: 'failed'; text: string }

/** What the phone shows after it read the QR code. */
export function PhonePane() {
  const { t } = useTranslation('session')
  const query = new URLSearchParams(location.search)
  const ticket = query.get('t') ?? ''
  const [step, setStep] = useState<Step>({ at: 'work' })
  const pane = usePane({ nickname: '' })
  const begun = useRef(false)
  const fail = (error: unknown) => setStep({ at: 'failed', text: messageOf(error) })

  const scan = async (identity: string): Promise<void> => {
    const found = await call(session.scan, { id: ticket, identity }, { signIn: true })
    setStep({ at: 'ask', identity, found })
  }
  const identify = async (given: { nickname?: string; oauthCode?: string }): Promise<void> => {
    const answer = await call(session.scanIdentity, { ticket, ...given }, { signIn: true })
    if (answer.authorizeUrl) return location.replace(answer.authorizeUrl)
    if (!answer.identity) return setStep({ at: 'nickname' })
    if (answer.provider === 'simulated') localStorage.setItem(key, answer.identity)
    await scan(answer.identity)
  }
  const begin = async (): Promise<void> => {
    const oauthCode = query.get('code')
    if (oauthCode) return identify({ oauthCode })
    const kept = localStorage.getItem(key)
    if (!kept) return identify({})
    try {
      await scan(kept)
    } catch (error) {
      // another server's, or WeChat was set up meanwhile
      if (!isApiError(error) || error.error !== 'session.badIdentity') throw error
      localStorage.removeItem(key)
      await identify({})
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per page; an OAuth code works once
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    if (/^[\da-f-]{36}$/i.test(ticket)) void begin().catch(fail)
    else setStep({ at: 'failed', text: t('phone.noTicket') })
  }, [])

  const answer = async (identity: string, yes: boolean) => {
    setStep({ at: 'work' })
    try {
      await call(
        yes ? session.confirmScan : session.refuseScan,
        { id: ticket, identity },
        { signIn: true },
      )
      setStep({ at: 'done', text: t(yes ? 'phone.confirmed' : 'phone.refused') })
    } catch (error) {
      fail(error)
    }
  }
  const named = async () => {
    const { nickname } = pane.values
    if (nickname.trim() === '') return
    setStep({ at: 'work' })
    await identify({ nickname }).catch(fail)
  }
  if (step.at === 'work') return <div className={styles.waiting} role="status" />
  if (step.at === 'failed' || step.at === 'done')
    return <Notice good={step.at === 'done'}>{step.text}</Notice>
  if (step.at === 'nickname')
    return (
      <PaneForm pane={pane} work={named} ok={t('phone.next')}>
        <p className={styles.note}>{t('phone.nicknameHint')}</p>
        <TextRow {...pane.field('nickname')} label={t('phone.nickname')} maxLength={30} focus />
      </PaneForm>
    )
  const { identity, found } = step
  return (
    <>
      <p className={styles.question}>
        {t(found.purpose === 'BIND' ? 'phone.bind' : 'phone.login')}
      </p>
      <dl className={styles.facts}>
        <dt>{t('phone.account')}</dt>
        <dd>{found.username}</dd>
        <dt>{t('phone.computer')}</dt>
        <dd>{found.device || t('me.unknownDevice')}</dd>
        <dt>{t('phone.ip')}</dt>
        <dd>{found.ip}</dd>
      </dl>
      <p className={styles.note}>{t('phone.warning')}</p>
      <button type="button" className={styles.submit} onClick={() => void answer(identity, true)}>
        {t('phone.confirm')}
      </button>
      <button type="button" className={styles.second} onClick={() => void answer(identity, false)}>
        {t('web:action.cancel')}
      </button>
    </>
  )
}
