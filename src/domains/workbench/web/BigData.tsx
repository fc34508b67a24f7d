import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Problem } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { workbench } from '../contract.ts'
import { useHourly, usePulse } from './useWall.ts'
import { Wall } from './Wall.tsx'
import styles from './wall.module.css'

/** The display for whoever is signed in: over the whole window, without menus; Esc leaves it. */
export function BigData() {
  const { t } = useTranslation('workbench')
  const active = useActiveTab()
  const navigate = useNavigate()
  const target = useTarget()
  const read = useRead(workbench.bigData, {}, { inline: true, keep: true })
  const again = () => void read.refetch()
  usePulse(active, again)
  useHourly(active, again)
  const leave = () => void navigate(target('/workbench/situation') ?? '/home')
  useEffect(() => {
    if (!active) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.fullscreenElement) leave()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  const links = target('/workbench/big-data/links')
  if (!active) return null
  return (
    <div className={styles.over}>
      {read.data ? (
        <Wall
          board={read.data}
          late={read.isError}
          tools={
            <>
              {links ? <Link to={links}>{t('wall.share')}</Link> : null}
              <button
                type="button"
                onClick={() => void document.documentElement.requestFullscreen()}
              >
                {t('wall.fullscreen')}
              </button>
              <button type="button" onClick={leave}>
                {t('wall.leave')}
              </button>
            </>
          }
        />
      ) : read.isError ? (
        <div className={styles.message}>
          <Problem error={read.error} title={t('wall.failed')} onRetry={again} />
          <Button onClick={leave}>{t('wall.leave')}</Button>
        </div>
      ) : null}
    </div>
  )
}
