import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from '../base.ts'
import styles from './Shell.module.css'

const every = 5 * 60_000
const build = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content

/** Tells people who keep the page open for days that a newer build is being served. */
export function VersionHint() {
  const { t } = useTranslation('web')
  const [newer, setNewer] = useState(false)
  useEffect(() => {
    const look = async () => {
      if (document.hidden) return
      const found = await fetch(href('/version.json'), { cache: 'no-store' })
        .then(
          (response) => response.json() as Promise<{ build?: unknown }>,
          () => null,
        )
        .catch(() => null)
      if (typeof found?.build === 'string' && found.build !== build) setNewer(true)
    }
    const timer = setInterval(() => void look(), every)
    return () => clearInterval(timer)
  }, [])
  if (!newer || import.meta.env.DEV) return null
  return (
    <div className={styles.hint} role="status">
      {t('shell.newVersion')}
      <Button type="link" size="small" onClick={() => location.reload()}>
        {t('shell.refresh')}
      </Button>
      <Button type="text" size="small" onClick={() => setNewer(false)}>
        {t('shell.later')}
      </Button>
    </div>
  )
}
