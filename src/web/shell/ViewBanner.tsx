import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { usePrefs } from '../prefs.ts'
import { useUser } from '../session.ts'
import { stopLooking } from '../view.ts'
import styles from './Shell.module.css'

/** Says whose eyes one looks through. */
export function ViewBanner() {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const { view } = useUser()
  if (!view) return null
  return (
    <div className={styles.hint} role="status">
      {t(`shell.view.${view.kind}`, { name: lang === 'en' ? view.name.en : view.name.zh })}
      <Button size="small" onClick={stopLooking}>
        {t('shell.view.leave')}
      </Button>
    </div>
  )
}
