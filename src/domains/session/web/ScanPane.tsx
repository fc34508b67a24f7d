import { useTranslation } from 'react-i18next'
import styles from './Login.module.css'
import { ScanCode } from './ScanCode.tsx'
import { enter } from './signIn.ts'
import { useMethods } from './useMethods.ts'

export function ScanPane() {
  const { t } = useTranslation('session')
  const methods = useMethods()
  if (!methods) return <div className={styles.waiting} />
  if (!methods.scan) return <p className={styles.notice}>{t('scan.unavailable')}</p>
  return <ScanCode purpose="login" hint={t('scan.WAITING')} onConfirmed={(token) => (token ? enter(token) : undefined)} />
}
