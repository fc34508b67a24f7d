import { Skeleton } from 'antd'
import type { CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { lanes } from '../contract.ts'
import { locale } from '../locale.ts'
import { LaneCard } from './LaneCard.tsx'
import styles from './lanes.module.css'

// pages of other domains show a plan without having loaded these texts
registerLocale('lanes', locale)

/** The planogram of a machine to look at; changing it is the lanes page. */
export function LanePlan({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('lanes')
  const read = useRead(lanes.plan, { deviceId }, { inline: true })
  useLive('lanes', [lanes.plan.path])
  if (read.error && !read.data) return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton active paragraph={{ rows: 8 }} />
  if (read.data.floors.length === 0) return <Empty title={t('empty')} />
  const wide = Math.max(...read.data.floors.flatMap((floor) => floor.roads.map((road) => road.column)))
  return (
    <div className={`${styles.grid} ${styles.readOnly}`} style={{ '--columns': wide } as CSSProperties}>
      {read.data.floors.map((floor) => (
        <section key={floor.id} className={styles.floor}>
          <div className={styles.level}>
            <strong>{t('short.level', { n: floor.level })}</strong>
          </div>
          <div className={styles.lanes}>
            {floor.roads
              .filter((road) => road.status !== 'MERGED')
              .map((road) => (
                <div
                  key={road.id}
                  className={styles.card}
                  data-view={road.view}
                  data-empty={road.productId === null}
                  style={{ gridColumn: `${road.column} / span ${1 + road.merged.length}` }}
                >
                  <LaneCard road={road} />
                </div>
              ))}
          </div>
        </section>
      ))}
    </div>
  )
}
