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
  const { view, failedHold, reserved } = road
  const tone = tones[view]
  const held = reserved > 0 ? t('reserved', { n: reserved }) : null
  const note = failedHold > 0 ? t('hold', { n: failedHold }) : held
  return (
    <>
      <span className={styles.cardHead}>
        <span>{roadText(road)}</span>
        <span className={styles.cardState}>
          {tone ? <Mark tone={tone} /> : null}
          <span className={styles.word} style={tone ? { color: `var(--hd-st-${tone}-text)` } : {}}>
            {tone ? t(`short.${view}`) : note}
          </span>
        </span>
      </span>
      {/* always there: hundreds of lanes are chosen at once, and nothing has to be measured anew */}
      <span className={styles.check}>{check}</span>
      {road.productId !== null ? (
        <Filled road={road} t={t} />
      ) : (
        <span className={styles.blank}>
          {offer && view !== 'disabled' ? plus : null}
          {t(view === 'disabled' ? 'off' : offer ? 'place' : 'enums.view.empty')}
        </span>
      )}
    </>
  )
})

function reasonOf({ view, lockReason, faultCode }: Road, t: Props['t']): string | null {
  if (view === 'locked') return lockText(t, lockReason)
  return view === 'fault'
    ? t(`enums.faultCode.${faultCode ?? 'FAULT'}`, { defaultValue: faultCode ?? '' })
    : null
}

function Filled({ road, t }: Omit<Props, 'offer'>) {
  const { productName, confirmedPrice, productStock, roadCapacity, view } = road
  const price = road.price ?? 0
  const retail = road.retailPrice ?? 0
  const reason = reasonOf(road, t)
  const hint = confirmedPrice === null ? '' : t('stillCharges', { price: yuan(confirmedPrice) })
  return (
    <>
      <span className={styles.picture}>
        <Picture src={road.productImg} size={42} />
      </span>
      <span className={reason ? styles.reason : styles.name} title={reason ?? productName ?? ''}>
        {reason ?? productName}
      </span>
      <span className={styles.price}>
        {yuan(price)}
        {hint ? (
          <span className={styles.notYet} title={hint}>
            {t('notYet')}
          </span>
        ) : retail > price ? (
          <del>{yuan(retail).slice(1)}</del>
        ) : null}
      </span>
      <span className={styles.stock}>
        <span className={styles.bar}>
          <span
            data-low={view === 'low'}
            style={{ width: `${roadCapacity ? (100 * productStock) / roadCapacity : 0}%` }}
          />
        </span>
        <span>
          <b data-view={view}>{productStock}</b>/{roadCapacity}
        </span>
      </span>
    </>
  )
}
