import { useTranslation } from 'react-i18next'
import { Mark } from '../../../../web/StatusTag.tsx'
import type { useDrafts } from '../edit/useDrafts.ts'
import { roadText } from '../shown.ts'
import styles from './lanes.module.css'

type Props = {
  drafts: ReturnType<typeof useDrafts>
  copied: number
  can: boolean
  onShow: (ids: number[]) => void
}

/**
 * What is wrong, what somebody else did meanwhile, what is unsaved; else the keys. Stays in sight
 * while it has something to say.
 */
export function LaneFoot({ drafts, copied, can, onShow }: Props) {
  const { t } = useTranslation('lanes')
  const { errors, overwritten, lost, dirty } = drafts
  const roads = (ids: ReadonlyMap<number, unknown>) =>
    drafts.shown.filter((road) => ids.has(road.id))
  const [wrong] = roads(errors)
  const theirs = roads(overwritten)
  const named = theirs.slice(0, 8).map(roadText).join(' ')
  const said = wrong !== undefined || theirs.length > 0 || lost > 0 || dirty
  return (
    <div className={styles.foot} data-said={said}>
      <span role="status">
        {wrong ? (
          <button
            type="button"
            className={styles.footLink}
            data-wrong
            onClick={() => onShow([wrong.id])}
          >
            {t('wrongLanes', {
              n: errors.size,
              road: roadText(wrong),
              why: Object.values(errors.get(wrong.id) ?? {})[0] ?? '',
            })}
          </button>
        ) : theirs.length > 0 ? (
          <>
            <Mark tone="warn" />
            <button
              type="button"
              className={styles.footLink}
              onClick={() => onShow(theirs.map((road) => road.id))}
            >
              {t('overwritten', {
                n: theirs.length,
                roads: `${named}${theirs.length > 8 ? ' …' : ''}`,
              })}
            </button>
            <button
              type="button"
              className={styles.footLink}
              onClick={() => drafts.drop(theirs.map((road) => road.id))}
            >
              {t('takeTheirs')}
            </button>
          </>
        ) : lost > 0 ? (
          <>
            <Mark tone="warn" />
            {t('lost', { n: lost })}
            <button type="button" className={styles.footLink} onClick={drafts.forget}>
              {t('discard')}
            </button>
          </>
        ) : dirty ? (
          t('unsaved', { n: drafts.drafts.size })
        ) : copied > 0 ? (
          t('copied', { n: copied })
        ) : (
          <span className={styles.keys}>{t(can ? 'keys' : 'nothingHint')}</span>
        )}
      </span>
    </div>
  )
}

/** What the marks on the cards mean. */
export function Legend() {
  const { t } = useTranslation('lanes')
  return (
    <span className={styles.legend}>
      {(['low', 'soldOut', 'fault', 'locked'] as const).map((view) => (
        <span key={view}>
          <Mark tone={view === 'low' ? 'warn' : view} />
          {t(`enums.view.${view}`)}
        </span>
      ))}
    </span>
  )
}
