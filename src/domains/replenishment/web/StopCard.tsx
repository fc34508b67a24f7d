import ArrowDownOutlined from '@ant-design/icons/es/icons/ArrowDownOutlined'
import ArrowUpOutlined from '@ant-design/icons/es/icons/ArrowUpOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { OrderHandle, type Side } from '../../../web/list/OrderHandle.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import type { RouteStop } from '../routeContract.ts'
import styles from './route.module.css'
import { mapOf, useSoon } from './shown.ts'

type Act = (() => void) | null
type Props = {
  stop: RouteStop
  /** Its place among those that are left. */
  nth: number | null
  onMove: { up: Act; down: Act; put: (beside: string, side: Side) => void } | null
  onStart: Act
  onSkip: Act
  onBack: Act
}
const tones: Readonly<Record<RouteStop['state'], Tone>> = {
  OPEN: 'paid',
  DRAFT: 'shipped',
  DONE: 'success',
  SKIPPED: 'closed',
}

function Facts({ stop }: { stop: RouteStop }) {
  const { t } = useTranslation('replenishment')
  const soon = useSoon()
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t('fields.sellsOutAt')}</dt>
        <dd>{soon(stop.sellsOutAt)}</dd>
      </div>
      <div>
        <dt>{t('route.short')}</dt>
        <dd>
          {stop.soldOut} / {stop.low}
        </dd>
      </div>
      <div>
        <dt>{t('fields.suggested')}</dt>
        <dd>{t('route.pieces', { n: stop.suggested })}</dd>
      </div>
      <div>
        <dt>{t('route.hours')}</dt>
        <dd>
          {stop.hours.length
            ? stop.hours.map(({ from, to }) => `${from}–${to}`).join('、')
            : t('route.always')}
        </dd>
      </div>
    </dl>
  )
}

/** One machine of the day: where, how soon, what is wrong there, and what can be done. */
export function StopCard({ stop, nth, onMove, onStart, onSkip, onBack }: Props) {
  const { t } = useTranslation('replenishment')
  const open = stop.state === 'OPEN' || stop.state === 'DRAFT'
  const badges: [Tone, string, boolean][] = [
    ['fault', t('route.recalled', { n: stop.recalled }), stop.recalled > 0],
    ['warn', t('route.expiring', { n: stop.expiring }), stop.expiring > 0],
    ['fault', t('route.takeBack', { n: stop.takeBack }), stop.takeBack > 0],
    ['warn', t('route.toCount', { n: stop.toCount }), stop.toCount > 0],
    ['fault', t('route.tooWarm'), stop.tooWarm],
    ['fault', t('route.faults', { n: stop.faults }), stop.faults > 0],
    ['closed', t('route.closed'), stop.closed],
  ]
  return (
    <li className={`hd-sheet ${styles.stop}`} data-state={stop.state} data-row-key={stop.deviceId}>
      <header>
        {onMove ? (
          <OrderHandle label={t('route.move', { name: stop.nickname })} onDrop={onMove.put}>
            <span className={styles.nth}>{nth}</span>
          </OrderHandle>
        ) : nth === null ? null : (
          <span className={styles.nth}>{nth}</span>
        )}
        <span className={styles.name}>
          <b>{stop.nickname}</b> <Muted>{stop.rtuNumber}</Muted>
        </span>
        {stop.state === 'OPEN' ? null : (
          <StatusTag chip tone={tones[stop.state]}>
            {t(`route.states.${stop.state}`)}
          </StatusTag>
        )}
      </header>
      <p className={styles.where}>
        {stop.address}
        {stop.km === null ? null : (
          <Muted> · {t('route.km', { km: stop.km < 10 ? stop.km : Math.round(stop.km) })}</Muted>
        )}
      </p>
      {open ? <Facts stop={stop} /> : null}
      {open && badges.some(([, , is]) => is) ? (
        <p className={styles.badges}>
          {badges.map(([tone, text, is]) =>
            is ? (
              <StatusTag key={text} tone={tone}>
                {text}
              </StatusTag>
            ) : null,
          )}
        </p>
      ) : null}
      {stop.skipReason ? (
        <p className={styles.where}>
          {t(`route.reasons.${stop.skipReason}`)}
          {stop.skipRemark ? <Muted> · {stop.skipRemark}</Muted> : null}
        </p>
      ) : null}
      <footer>
        {stop.lng === null || !open ? null : (
          <Button size="large" href={mapOf(stop)} target="_blank" rel="noopener noreferrer">
            {t('navigate')}
          </Button>
        )}
        {open && onSkip ? (
          <Button size="large" onClick={onSkip}>
            {t('route.skip')}
          </Button>
        ) : null}
        {stop.state === 'SKIPPED' && onBack ? (
          <Button size="large" onClick={onBack}>
            {t('route.unskip')}
          </Button>
        ) : null}
        {onMove ? (
          <>
            <Button
              size="large"
              icon={<ArrowUpOutlined />}
              aria-label={t('route.up')}
              disabled={!onMove.up}
              onClick={() => onMove.up?.()}
            />
            <Button
              size="large"
              icon={<ArrowDownOutlined />}
              aria-label={t('route.down')}
              disabled={!onMove.down}
              onClick={() => onMove.down?.()}
            />
          </>
        ) : null}
        {open && onStart ? (
          <Button size="large" type="primary" onClick={onStart}>
            {t(stop.state === 'DRAFT' ? 'goOn' : 'start')}
          </Button>
        ) : null}
      </footer>
    </li>
  )
}
