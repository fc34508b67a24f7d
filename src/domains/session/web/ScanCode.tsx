import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { call, messageOf } from '../../../web/call.ts'
import { session } from '../contract.ts'
import { Qr } from './Qr.tsx'
import styles from './Scan.module.css'
import { useMethods } from './useMethods.ts'

type Ticket = Extract<Output<typeof session.loginsend>, { ticket: string }>
type State = {
  state: NonNullable<Output<typeof session.loginv>['state']>
  problem: NonNullable<Output<typeof session.loginv>['problem']>
}
const first: State = { state: 'WAITING', problem: '' }
const pollMs = 2000

/** A QR code with its states; asks how it stands every two seconds while somebody looks. */
export function ScanCode({
  purpose,
  hint,
  onConfirmed,
}: {
  purpose: 'login' | 'bind'
  hint: string
  onConfirmed: (answer: Output<typeof session.loginv>) => void
}) {
  const { t } = useTranslation('session')
  const methods = useMethods()
  const [ticket, setTicket] = useState<Ticket | null>(null)
  const [{ state, problem }, setState] = useState(first)
  const [failed, setFailed] = useState('')
  const confirmed = useRef(onConfirmed)
  confirmed.current = onConfirmed
  const options = { signIn: purpose === 'login' }
  const signIn = options.signIn

  const begin = useCallback(async () => {
    setFailed('')
    setTicket(null)
    setState(first)
    try {
      const answer = await call(session.loginsend, { channel: 'qr', purpose }, { signIn })
      if ('ticket' in answer) setTicket(answer)
    } catch (error) {
      // a proof that was not given leaves the code to be asked for again
      setFailed(messageOf(error) || t('scan.again'))
    }
  }, [t, purpose, signIn])
  useEffect(() => void begin(), [begin])

  const living = ticket !== null && (state === 'WAITING' || state === 'SCANNED')
  useEffect(() => {
    if (!living || !ticket) return
    let stopped = false
    let timer: ReturnType<typeof setTimeout>
    const ask = async () => {
      if (document.visibilityState === 'visible') {
        try {
          const answer = await call(
            session.loginv,
            { channel: 'qr', ticket: ticket.ticket, secret: ticket.secret },
            { signIn },
          )
          if (stopped) return
          setState({ state: answer.state ?? 'EXPIRED', problem: answer.problem ?? '' })
          if (answer.state === 'CONFIRMED') return confirmed.current(answer)
        } catch (error) {
          if (!stopped) setFailed(messageOf(error))
        }
      }
      if (!stopped) timer = setTimeout(ask, pollMs)
    }
    timer = setTimeout(ask, pollMs)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [living, ticket, signIn])

  const over = failed !== '' || state === 'EXPIRED' || state === 'REFUSED'
  const text =
    failed ||
    (problem === 'NOT_BOUND'
      ? t('scan.notBound')
      : problem === 'BOUND_ELSEWHERE'
        ? t('scan.boundElsewhere')
        : state === 'WAITING'
          ? hint
          : state === 'EXPIRED'
            ? t('scan.expired')
            : t(`scan.${state}`))
  return (
    <div className={styles.scan}>
      <div
        className={styles.square}
        data-over={over || state === 'SCANNED' || state === 'CONFIRMED'}
      >
        {ticket ? <Qr text={ticket.qrContent} label={t('scan.picture')} /> : null}
        {over ? (
          <button type="button" className={styles.again} onClick={() => void begin()}>
            {t('scan.again')}
          </button>
        ) : null}
        {state === 'SCANNED' ? (
          <svg className={styles.tick} viewBox="0 0 48 48" aria-hidden="true">
            <circle cx="24" cy="24" r="22" />
            <path d="M14 25l7 7 13-15" />
          </svg>
        ) : null}
      </div>
      <p className={styles.text} data-wrong={failed !== '' || problem !== ''} role="status">
        {ticket || failed ? text : t('scan.loading')}
      </p>
      {methods?.demo && ticket && living ? (
        <a className={styles.demo} href={ticket.qrContent} target="_blank" rel="noreferrer">
          {t('scan.demo')}
        </a>
      ) : null}
    </div>
  )
}
