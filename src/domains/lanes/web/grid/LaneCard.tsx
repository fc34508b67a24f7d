import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import type { TFunction } from 'i18next'
import { memo } from 'react'
import { yuan } from '../../../../shared/money.ts'
import { Picture } from '../../../../web/Picture.tsx'
import { Mark, type Tone } from '../../../../web/StatusTag.tsx'
import type { Road } from '../../contract.ts'
import { lockText, roadText } from '../shown.ts'
import styles from './lanes.module.css'

const tones: Partial<Record<Road['view'], Tone>> = {
  low: 'warn',
  soldOut: 'soldOut',
  fault: 'fault',
  locked: 'locked',
}

const check = <CheckOutlined />
const plus = <PlusOutlined />

/** `offer`: an empty lane asks for a product. */
type Props = { road: Road; offer: boolean; t: TFunction<'lanes'> }

/**
 * Number and state, picture, name, price, how full. A fault's reason stands where the name was.
 * Words come from above: a machine has hundreds of lanes.
 */
export const LaneCard = memo(function LaneCard({ road, offer, t }: Props) {
  const tone = tones[road.view]
  const note =
    road.failedHold > 0
      ? t('hold', { n: road.failedHold })
      : road.reserved > 0
        ? t('reserved', { n: road.reserved })
        : null
  return (
    <>
      <span className={styles.cardHead}>
        <span>{roadText(road)}</span>
        <span className={styles.cardState}>
          {tone ? (
            <>
              <Mark tone={tone} />
              <span className={styles.word} style={{ color: `var(--hd-st-${tone}-text)` }}>
                {t(`short.${road.view}`)}
              </span>
            </>
          ) : (
            <span className={styles.word}>{note}</span>
          )}
        </span>
      </span>
      {/* always there: hundreds of lanes are chosen at once, and nothing has to be measured anew */}
      <span className={styles.check}>{check}</span>
      <CardBody road={road} offer={offer} t={t} />
    </>
  )
})

function reasonOf(road: Road, t: Props['t']): string | null {
  if (road.view === 'locked') return lockText(t, road.lockReason)
  return road.view === 'fault'
    ? t(`enums.faultCode.${road.faultCode ?? 'FAULT'}`, { defaultValue: road.faultCode ?? '' })
    : null
}

function CardBody({ road, offer, t }: Props) {
  const reason = reasonOf(road, t)
  return road.productId === null ? (
    <span className={styles.blank}>
      {road.view === 'disabled' ? (
        t('off')
      ) : offer ? (
        <>
          {plus}
          {t('place')}
        </>
      ) : (
        t('enums.view.empty')
      )}
    </span>
  ) : (
    <>
      <span className={styles.picture}>
        <Picture src={road.productImg} size={42} />
      </span>
      <span
        className={reason ? styles.reason : styles.name}
        title={reason ?? road.productName ?? ''}
      >
        {reason ?? road.productName}
      </span>
      <span className={styles.price}>
        {yuan(road.price ?? 0)}
        {road.confirmedPrice !== null ? (
          <span
            className={styles.notYet}
            title={t('stillCharges', { price: yuan(road.confirmedPrice) })}
          >
            {t('notYet')}
          </span>
        ) : (road.retailPrice ?? 0) > (road.price ?? 0) ? (
          <del>{yuan(road.retailPrice ?? 0).slice(1)}</del>
        ) : null}
      </span>
      <span className={styles.stock}>
        <span className={styles.bar}>
          <span
            data-low={road.view === 'low'}
            style={{
              width: `${road.roadCapacity ? (100 * road.productStock) / road.roadCapacity : 0}%`,
            }}
          />
        </span>
        <span>
          <b data-view={road.view}>{road.productStock}</b>/{road.roadCapacity}
        </span>
      </span>
    </>
  )
}
