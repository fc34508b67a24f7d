import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider, type ConfigProviderProps } from 'antd'
import enUS from 'antd/es/locale/en_US'
import { useEffect, useMemo, useState } from 'react'
import { antdButton, antdTheme } from './antdTheme.ts'
import { queryClient } from './api.ts'
import './app.css'
import { Questions } from './confirm.tsx'
import { Guard } from './Guard.tsx'
import { HintBubble } from './HintBubble.tsx'
import { AppRouter } from './history.tsx'
import { nonce } from './nonce.ts'
import { type Prefs, usePrefs } from './prefs.ts'
import { ProofQuestion } from './proof.tsx'
import { usePhone } from './shell/useWidth.ts'
import { Toasts } from './Toasts.tsx'

type Locale = NonNullable<ConfigProviderProps['locale']>

/** antd's own words; English is part of antd in any case. */
const loadWords = async (lang: Prefs['lang']): Promise<Locale> =>
  lang === 'en' ? enUS : (await import('antd/es/locale/zh_CN')).default

/** Everything behind the sign-in. Loaded lazily by entry.tsx. */
export function App() {
  const { lang, theme, ...prefs } = usePrefs()
  const phone = usePhone()
  const compact = prefs.compact && !phone
  const [locale, setLocale] = useState<Locale>()
  useEffect(() => {
    let stale = false
    void loadWords(lang).then(
      (found) => {
        if (!stale) setLocale(found)
      },
      () => undefined,
    )
    return () => {
      stale = true
    }
  }, [lang])
  const config = useMemo(() => antdTheme(theme, compact, phone), [theme, compact, phone])
  return (
    <ConfigProvider
      {...(locale ? { locale } : {})}
      theme={config}
      csp={{ nonce }}
      componentSize={compact ? 'small' : 'medium'}
      button={antdButton}
      form={{
        requiredMark: (label, { required }) =>
          required ? (
            <>
              {label}
              <span className="hd-required" aria-hidden="true">
                *
              </span>
            </>
          ) : (
            label
          ),
      }}
    >
      <div className={compact ? 'hd-app hd-compact' : 'hd-app'}>
        <QueryClientProvider client={queryClient}>
          <AppRouter>
            <Guard />
            <Questions />
            <ProofQuestion />
          </AppRouter>
        </QueryClientProvider>
        <Toasts />
        <HintBubble />
      </div>
    </ConfigProvider>
  )
}
