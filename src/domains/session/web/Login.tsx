import { type ComponentType, lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorBoundary } from '../../../web/ErrorBoundary.tsx'
import { Logo } from '../../../web/pictures/silhouettes.tsx'
import { setPrefs, usePrefs } from '../../../web/prefs.ts'
import { takeFlash } from '../../../web/token.ts'
import { AccountPane } from './AccountPane.tsx'
import styles from './Login.module.css'
import { Notice } from './LoginFields.tsx'
import { VendingMachine } from './VendingMachine.tsx'

export type PaneProps = {
  onDone: (message: string) => void
  onForgot: () => void
  onFactor: (ticket: string) => void
}
const modes = ['account', 'scan', 'sms', 'forgot', 'phone', 'undo', 'mail'] as const
type Mode = (typeof modes)[number]

/** Only the account form is in the first load; the other ways come when somebody takes them. */
const panes: Readonly<Record<Exclude<Mode, 'account'>, ComponentType<PaneProps>>> = {
  scan: lazy(() => import('./ScanPane.tsx').then((m) => ({ default: m.ScanPane }))),
  sms: lazy(() => import('./SmsPane.tsx').then((m) => ({ default: m.SmsPane }))),
  forgot: lazy(() => import('./ForgotPane.tsx').then((m) => ({ default: m.ForgotPane }))),
  phone: lazy(() => import('./PhonePane.tsx').then((m) => ({ default: m.PhonePane }))),
  mail: lazy(() => import('./LinkPane.tsx').then((m) => ({ default: m.MailPane }))),
  undo: lazy(() => import('./LinkPane.tsx').then((m) => ({ default: m.UndoPane }))),
}
const FactorPane = lazy(() => import('./FactorPane.tsx').then((m) => ({ default: m.FactorPane })))
const titles: Readonly<Partial<Record<Mode, string>>> = {
  phone: 'session:phone.title',
  forgot: 'session:forgot.title',
  sms: 'session:ways.sms',
  undo: 'session:undo.title',
  mail: 'session:mail.title',
}

const modeOf = (): Mode => {
  const wish = new URLSearchParams(location.search).get('mode')
  return modes.find((mode) => mode === wish) ?? 'account'
}

/**
 * Plain controls instead of antd: this page must stay light (its JavaScript is what every first
 * visit waits for).
 */
export function Login() {
  const { t } = useTranslation(['web', 'session'])
  const { lang } = usePrefs()
  const [mode, setMode] = useState(modeOf)
  const [flash, setFlash] = useState<string | null>(null)
  // the ticket of the second step; gone with the page
  const [ticket, setTicket] = useState<string | null>(null)
  const title = t(ticket ? 'session:factor.step' : (titles[mode] ?? 'login.title'))

  useEffect(() => {
    document.title = `${title} - ${t('product')}`
  }, [t, title])
  useEffect(() => setFlash((held) => held ?? takeFlash()), [])

  const go = (next: Mode) => {
    const query = new URLSearchParams(location.search)
    query.set('mode', next)
    history.replaceState(null, '', `${location.pathname}?${query}`)
    setFlash(null)
    setTicket(null)
    setMode(next)
  }
  const done = (message: string) => {
    go('account')
    setFlash(message)
  }
  const first = !ticket && (mode === 'account' || mode === 'scan')
  const Pane = mode === 'account' ? null : panes[mode]
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
          <svg
            width="15"
            height="15"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.2"
            aria-hidden="true"
          >
            <circle cx="8" cy="8" r="6.4" />
            <path d="M1.6 8h12.8M2.6 4.6h10.8M2.6 11.4h10.8M8 1.6c-4.300 4-4.300 8.800 0 12.800M8 1.6c4.300 4 4.300 8.800 0 12.800" />
          </svg>
          {t('otherLang')}
        </button>
        <div className={styles.form}>
          <h1 id="login-title">{title}</h1>
          {first ? (
            <div className={styles.tabs} role="tablist" aria-labelledby="login-title">
              {(['account', 'scan'] as const).map((tab) => (
                <button
                  key={tab}
                  type="button"
                  role="tab"
                  aria-selected={mode === tab}
                  onClick={() => go(tab)}
                >
                  {t(`session:ways.${tab}`)}
                </button>
              ))}
            </div>
          ) : null}
          {flash ? <Notice>{flash}</Notice> : null}
          {ticket || Pane ? (
            <ErrorBoundary
              fallback={() => <p className={styles.notice}>{t('session:ways.failed')}</p>}
            >
              <Suspense fallback={<div className={styles.waiting} />}>
                {ticket ? (
                  <FactorPane ticket={ticket} onOver={done} />
                ) : Pane ? (
                  <Pane onDone={done} onForgot={() => go('forgot')} onFactor={setTicket} />
                ) : null}
              </Suspense>
            </ErrorBoundary>
          ) : (
            <AccountPane
              onForgot={() => go('forgot')}
              onTyped={() => setFlash(null)}
              onFactor={setTicket}
            />
          )}
          {mode === 'phone' ? null : (
            <p className={styles.ways}>
              <button
                type="button"
                className={styles.link}
                onClick={() => go(first ? 'sms' : 'account')}
              >
                {t(first ? 'session:ways.sms' : 'session:ways.back')}
              </button>
            </p>
          )}
        </div>
      </main>
    </div>
  )
}
