import { Button, Flex } from 'antd'
import type { ReactNode } from 'react'
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
  const ids = theirs.map((road) => road.id)
  const named = theirs.slice(0, 8).map(roadText).join(' ')
  const link = (text: string, onClick: () => void, danger = false) => (
    <Button type="link" size="small" danger={danger} onClick={onClick}>
      {text}
    </Button>
  )
  let said: ReactNode = null
  if (wrong) {
    const why = Object.values(errors.get(wrong.id) ?? {})[0] ?? ''
    const text = t('wrongLanes', { n: errors.size, road: roadText(wrong), why })
    said = link(text, () => onShow([wrong.id]), true)
  } else if (theirs.length > 0)
    said = (
      <>
        <Mark tone="warn" />
        {link(
          t('overwritten', { n: ids.length, roads: `${named}${ids.length > 8 ? ' …' : ''}` }),
          () => onShow(ids),
        )}
        {link(t('takeTheirs'), () => drafts.drop(ids))}
      </>
    )
  else if (lost > 0)
    said = (
      <>
        <Mark tone="warn" />
        {t('lost', { n: lost })}
        {link(t('discard'), drafts.forget)}
      </>
    )
  else if (dirty) said = t('unsaved', { n: drafts.drafts.size })
  const keys = <span className={styles.keys}>{t(can ? 'keys' : 'nothingHint')}</span>
  return (
    <div className={styles.foot} data-said={said !== null}>
      <Flex wrap align="center" gap="0 8px" role="status">
        {said ?? (copied > 0 ? t('copied', { n: copied }) : keys)}
      </Flex>
    </div>
  )
}

/** What the marks on the cards mean. */
export function Legend() {
  const { t } = useTranslation('lanes')
  return (
    <Flex wrap gap={14} className={styles.legend ?? ''}>
      {(['low', 'soldOut', 'fault', 'locked'] as const).map((view) => (
        <Flex key={view} align="center" gap={5}>
          <Mark tone={view === 'low' ? 'warn' : view} />
          {t(`enums.view.${view}`)}
        </Flex>
      ))}
    </Flex>
  )
}
