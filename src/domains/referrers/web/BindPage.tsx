import { Button, Result } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { call, messageOf } from '../../../web/call.ts'
import { referrers } from '../contract.ts'

type Seen = Output<typeof referrers.look>

/** What a referrer sees who scanned his code; WeChat comes back with a code of its own. */
export function BindPage() {
  const { t } = useTranslation('referrers')
  // a public page stands outside the router
  const search = new URLSearchParams(location.search)
  const [code, oauthCode] = [search.get('k') ?? '', search.get('code')]
  const [seen, setSeen] = useState<Seen | null>(null)
  const [failed, setFailed] = useState('')
  const [done, setDone] = useState(false)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    call(referrers.look, { code }, { signIn: true }).then(setSeen, (error: unknown) =>
      setFailed(messageOf(error)),
    )
  }, [code])
  const bind = async () => {
    if (seen?.authorizeUrl && !oauthCode) return location.assign(seen.authorizeUrl)
    setBusy(true)
    try {
      await call(referrers.bind, { code, ...(oauthCode ? { oauthCode } : {}) }, { signIn: true })
      setDone(true)
    } catch (error) {
      setFailed(messageOf(error))
    }
    setBusy(false)
  }
  const status = failed ? 'error' : done ? 'success' : 'info'
  return (
    <main>
      <Result
        status={status}
        title={failed || (done ? t('bound') : t('bindTitle'))}
        subTitle={
          seen && !failed && !done ? t('bindText', { org: seen.orgName, name: seen.name }) : null
        }
        extra={
          seen && !failed && !done ? (
            <Button type="primary" size="large" loading={busy} onClick={() => void bind()}>
              {t('bind')}
            </Button>
          ) : null
        }
      />
    </main>
  )
}
