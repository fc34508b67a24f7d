import { useTranslation } from 'react-i18next'
import styles from './Login.module.css'
import type { PaneProps } from './Login.tsx'
import { Notice } from './LoginFields.tsx'
import { ScanCode } from './ScanCode.tsx'
import { admitted } from './signIn.ts'
import { useMethods } from './useMethods.ts'

export function ScanPane({ onFactor }: PaneProps) {
  const { t } = useTranslation('session')
  const methods = useMethods()
  if (!methods) return <div className={styles.waiting} />
  if (!methods.scan) return <Notice>{t('scan.unavailable')}</Notice>
  return (
    <ScanCode
      purpose="login"
      hint={t('scan.WAITING')}
      onConfirmed={(answer) => void admitted(answer, onFactor)}
    />
  )
}
