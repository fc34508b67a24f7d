import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { factorErrors, session } from '../contract.ts'
import { CodeModal } from './CodeModal.tsx'
import styles from './Me.module.css'
import { Qr } from './Qr.tsx'

const claims = [factorErrors.wrongFactor.name, 'common.invalid']

/**
 * Scan, then a code of the app to see that it works; closes with the recovery codes, or with
 * nothing.
 */
export function FactorDialog({ onClose }: { onClose: (codes: readonly string[] | null) => void }) {
  const { t } = useTranslation('session')
  const phone = usePhone()
  const begin = useWrite(session.enrolFactor, { invalidates: [] })
  const confirm = useWrite(session.confirmFactor, {
    claims,
    invalidates: [],
    onSuccess: ({ recoveryCodes }) => onClose(recoveryCodes),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: one secret for each time the dialog opens
  useEffect(() => begin.mutate({}, { onError: () => onClose(null) }), [])
  if (!begin.data) return null
  const { secret, uri } = begin.data
  return (
    <CodeModal
      id="factor-code"
      title={t('factor.setUp')}
      ok={t('factor.turnOn')}
      label={t('factor.enter')}
      busy={confirm.isPending}
      onSend={(code, onError) => confirm.mutate({ code }, { onError })}
      onCancel={() => onClose(null)}
    >
      <p>{t('factor.scan')}</p>
      <div className={styles.qr}>
        <Qr text={uri} label={t('factor.picture')} />
      </div>
      <p className={styles.secret}>
        {t('factor.secret')}
        <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} />
      </p>
      {phone ? (
        // a phone cannot scan itself
        <Button block className={styles.openApp ?? ''} href={uri}>
          {t('factor.openApp')}
        </Button>
      ) : null}
    </CodeModal>
  )
}
