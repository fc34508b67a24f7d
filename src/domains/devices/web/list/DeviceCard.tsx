import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { StockBar } from '../../../../web/StockBar.tsx'
import { CardHead, Facts } from '../../../../web/ui/Card.tsx'
import { Bad } from '../../../../web/ui/Text.tsx'
import { DeviceTagChips } from '../../../device-tags/web/pickers.tsx'
import { useFaultWord } from '../../../machines/web/pickers.tsx'
import type { DeviceRow } from '../../contract.ts'
import { DeviceStatus } from '../DeviceStatus.tsx'

type Props = { row: DeviceRow; to: string; actions: ReactNode }

/** One machine on a phone: number and name, what is wrong and in which lane, what it holds. */
export function DeviceCard({ row, to, actions }: Props) {
  const { t } = useTranslation('devices')
  const faultWord = useFaultWord()
  const { fault } = row
  const trouble = fault
    ? [
        faultWord(fault.faultCode),
        ...(fault.road === null ? [] : [t('faultTab.road', { n: fault.road })]),
      ]
    : []
  return (
    <>
      <CardHead
        title={
          <Link to={to}>
            {row.rtuNumber} {row.nickname}
          </Link>
        }
        lines={[trouble.length > 0 ? <Bad key="trouble">{trouble.join(' · ')}</Bad> : row.address]}
        end={<DeviceStatus device={row} chip />}
      />
      {row.tags.length > 0 ? <DeviceTagChips tags={row.tags} /> : null}
      <Facts
        items={[
          [t('fields.stock'), <StockBar key="stock" stock={row.stock} capacity={row.capacity} />],
          [
            t('fields.soldOut'),
            <Bad key="out" when={row.soldOut > 0}>
              {row.soldOut}
            </Bad>,
          ],
        ]}
      />
      {actions}
    </>
  )
}
