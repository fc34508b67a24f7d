import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { call, messageOf } from '../../../web/call.ts'
import { PublicNote, tall } from '../../../web/PublicNote.tsx'
import { referrers } from '../contract.ts'

type Seen = Output<typeof referrers.look>
/** A public page has no router. */
const asked = () => {
  const search = new URLSearchParams(location.search)
  return { code: search.get('k') ?? '', oauthCode: search.get('code') }
}

/** What a referrer sees who scanned his code; WeChat comes back with a code of its own. */
export function BindPage() {
  const { t } = useTranslation('referrers')
  const [{ code, oauthCode }] = useState(asked)
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
  if (failed || done) return <PublicNote title={failed || t('bound')} />
  if (!seen) return <main />
  return (
    <PublicNote
      title={t('bindTitle')}
      lines={[t('bindText', { org: seen.orgName, name: seen.name })]}
      action={
        <button
          type="button"
          className="hd-plain-button"
          style={tall}
          disabled={busy}
          onClick={() => void bind()}
        >
          {t('bind')}
        </button>
      }
    />
  )
}
