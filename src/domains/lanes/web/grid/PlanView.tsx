import type { CSSProperties } from 'react'
import { useTranslation } from 'react-i18next'
import type { Planogram } from '../../contract.ts'
import { floorName } from '../../rules.ts'
import { widest } from '../shown.ts'
import { LaneCard } from './LaneCard.tsx'
import styles from './lanes.module.css'

/** The planogram to look at, in pages of other domains and on paper. */
export function PlanView({ plan, named = false }: { plan: Planogram; named?: boolean }) {
  const { t } = useTranslation('lanes')
  return (
    <div
      className={`${styles.grid} ${styles.readOnly}`}
      style={{ '--columns': widest(plan) } as CSSProperties}
    >
      {plan.floors.map(({ id, level, name, roads }) => (
        <section key={id} className={styles.floor}>
          <div className={styles.level}>
            <strong>{t('short.level', { n: level })}</strong>
            {named && name !== floorName(level) ? <span>{name}</span> : null}
          </div>
          <div className={styles.lanes}>
            {roads
              .filter((road) => road.status !== 'MERGED')
              .map((road) => (
                <div
                  key={road.id}
                  className={styles.card}
                  data-view={road.view}
                  data-empty={road.productId === null}
                  style={{ gridColumn: `${road.column} / span ${1 + road.merged.length}` }}
                >
                  <LaneCard road={road} offer={false} t={t} />
                </div>
              ))}
          </div>
        </section>
      ))}
    </div>
  )
}
