import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Picture } from '../../../web/Picture.tsx'
import { Mark, type Tone } from '../../../web/StatusTag.tsx'
import type { Road } from '../contract.ts'
import styles from './lanes.module.css'
import { lockText, roadText } from './shown.ts'

const tones: Partial<Record<Road['view'], Tone>> = { low: 'warn', soldOut: 'soldOut', fault: 'fault', locked: 'locked' }

/** Number and state, picture, name, price, how full. A fault's reason stands where the name was. */
export function LaneCard({ road, selected = false }: { road: Road; selected?: boolean }) {
  const { t } = useTranslation('lanes')
  const tone = tones[road.view]
  const note = road.failedHold > 0 ? t('hold', { n: road.failedHold }) : road.reserved > 0 ? t('reserved', { n: road.reserved }) : null
  const reason =
    road.view === 'fault'
      ? t(`enums.faultCode.${road.faultCode ?? 'FAULT'}`, { defaultValue: road.faultCode ?? '' })
      : road.view === 'locked'
        ? lockText(t, road.lockReason)
        : null
  return (
    <>
      <span className={styles.cardHead}>
        <span>{roadText(road)}</span>
        <span className={styles.cardState}>
          {tone ? (
            <>
              <Mark tone={tone} />
              {selected ? null : <span style={{ color: `var(--hd-st-${tone}-text)` }}>{t(`short.${road.view}`)}</span>}
            </>
          ) : (
            note
          )}
          {selected ? (
            <span className={styles.check}>
              <CheckOutlined />
            </span>
          ) : null}
        </span>
      </span>
      <CardBody road={road} reason={reason} />
    </>
  )
}

/** Does not change with the selection: hundreds of cards are chosen at once. */
const CardBody = memo(function CardBody({ road, reason }: { road: Road; reason: string | null }) {
  const { t } = useTranslation('lanes')
  return road.productId === null ? (
    <span className={styles.blank}>
      {road.view === 'disabled' ? (
        t('off')
      ) : (
        <>
          <PlusOutlined />
          {t('place')}
        </>
      )}
    </span>
  ) : (
    <>
      <span className={styles.picture}>
        <Picture src={road.productImg} size={42} />
      </span>
      <span className={reason ? styles.reason : styles.name} title={reason ?? road.productName ?? ''}>
        {reason ?? road.productName}
      </span>
      <span className={styles.price}>
        {yuan(road.price ?? 0)}
        {road.confirmedPrice !== null ? (
          <span className={styles.notYet} title={t('stillCharges', { price: yuan(road.confirmedPrice) })}>
            {t('notYet')}
          </span>
        ) : (road.retailPrice ?? 0) > (road.price ?? 0) ? (
          <del>{yuan(road.retailPrice ?? 0).slice(1)}</del>
        ) : null}
      </span>
      <span className={styles.stock}>
        <span className={styles.bar}>
          <span data-low={road.view === 'low'} style={{ width: `${road.roadCapacity ? (100 * road.productStock) / road.roadCapacity : 0}%` }} />
        </span>
        <span>
          <b data-view={road.view}>{road.productStock}</b>/{road.roadCapacity}
        </span>
      </span>
    </>
  )
})
