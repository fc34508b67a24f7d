import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { call, messageOf } from '../../../web/call.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { roles } from '../contract.ts'
import { roleName } from '../rules.ts'

type Answer = Output<(typeof roles)['why']>

/**
 * Why the reader himself may not open a page. Without antd and the query client: it also stands on
 * the public 404.
 */
export function WhyNot({ code }: { code: string }) {
  const { t } = useTranslation('roles')
  const { lang } = usePrefs()
  const [answer, setAnswer] = useState<Answer | string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    call(roles.why, { code }, { signal: stop.signal }).then(setAnswer, (error: unknown) => {
      if (!stop.signal.aborted) setAnswer(messageOf(error))
    })
    return () => stop.abort()
  }, [code])
  if (answer === null) return null
  if (typeof answer === 'string') return <p role="alert">{answer}</p>
  const { right } = answer
  const names = answer.roles.map(
    (role) => `${roleName(role, lang)}${role.enabled ? '' : ` (${t('explain.stopped')})`}`,
  )
  return (
    <div aria-live="polite" style={{ marginTop: 12 }}>
      <p>{t('explain.need', { name: lang === 'en' ? right.en : right.zh })}</p>
      <p>{right.granted ? t('explain.unticked') : t(`explain.own.${right.reason}`)}</p>
      <p>{t('explain.mine', { roles: names.join(lang === 'en' ? ', ' : '、') || '—' })}</p>
      <p>{t('explain.ask')}</p>
    </div>
  )
}
