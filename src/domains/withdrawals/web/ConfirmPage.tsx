import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { yuan } from '../../../shared/money.ts'
import { call, messageOf } from '../../../web/call.ts'
import { PublicNote, tall } from '../../../web/PublicNote.tsx'
import { zonedTime } from '../../../web/time.ts'
import { withdrawals } from '../contract.ts'

type Seen = Output<typeof withdrawals.lookConfirm>
/** What WeChat puts into the pages that it opens. */
type Bridge = {
  invoke(name: string, args: object, done: (answer: { err_msg?: string }) => void): void
}
const bridgeOf = () => (window as { WeixinJSBridge?: Bridge }).WeixinJSBridge
const askEveryMs = 15_000
/** A public page has no router. */
const codeOf = () => new URLSearchParams(location.search).get('k') ?? ''

/** What a payee sees in WeChat: how much waits for him, and a button that says yes. */
export function ConfirmPage() {
  const { t } = useTranslation('withdrawals')
  const [seen, setSeen] = useState<Seen | null>(null)
  const [failed, setFailed] = useState('')
  const [said, setSaid] = useState(false)
  const look = useCallback(
    () =>
      call(withdrawals.lookConfirm, { code: codeOf() }, { signIn: true }).then(
        setSeen,
        (error: unknown) => setFailed(messageOf(error)),
      ),
    [],
  )
  useEffect(() => void look(), [look])
  const waits = seen?.state === 'WAITING' && !failed
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => void look(), askEveryMs)
    return () => clearInterval(timer)
  }, [waits, look])
  if (failed) return <PublicNote title={failed} />
  if (!seen) return <main />
  const { state, orgName: org, holder, pay, confirmUntil } = seen
  const confirm = () =>
    bridgeOf()?.invoke('requestMerchantTransfer', { ...pay }, ({ err_msg }) => {
      if (err_msg !== 'requestMerchantTransfer:ok') return
      setSaid(true)
      void look()
    })
  const asks = waits && !said
  return (
    <PublicNote
      title={t(`confirm.${waits && said ? 'said' : state}`)}
      lines={[
        t('confirm.what', { org, holder, amount: yuan(seen.amount) }),
        asks && confirmUntil
          ? t('confirm.until', { time: zonedTime(new Date(confirmUntil)) })
          : null,
        asks && !(pay && bridgeOf()) ? t(pay ? 'confirm.open' : 'confirm.elsewhere') : null,
      ]}
      action={
        asks && pay && bridgeOf() ? (
          <button type="button" className="hd-plain-button" style={tall} onClick={confirm}>
            {t('confirm.yes')}
          </button>
        ) : null
      }
    />
  )
}
