import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { addDays, shanghaiDay } from '../../../../shared/instants.ts'
import { useRead } from '../../../../web/api.ts'
import { registerLocale } from '../../../../web/i18n.ts'
import { useLive } from '../../../../web/live.ts'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { Time } from '../../../../web/Time.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Cut, Muted } from '../../../../web/ui/Text.tsx'
import { type FlowRow, stock } from '../../../stock/contract.ts'
import { locale as stockTexts } from '../../../stock/locale.ts'
import { type Visit, visitsOf } from '../../refills.ts'
import type { TabProps } from './DeviceDrawer.tsx'

registerLocale('stock', stockTexts)

const days = 90
const most = 200

/** Who filled the machine when, and what he put in. */
export function DeviceRefills({ device: { id: deviceId, rtuNumber } }: TabProps) {
  const { t } = useTranslation('devices')
  const from = addDays(shanghaiDay(new Date()), -days)
  const read = useRead(
    stock.flows,
    { deviceId, type: 'MERCHANT_REPLENISH', from, pageSize: most },
    { inline: true, keep: true },
  )
  useLive('stock', [stock.flows.path])
  if (!read.data) return <Unread read={read} rows={6} />
  const { list, total } = read.data
  const all = new URLSearchParams({ rtuNumber, type: 'MERCHANT_REPLENISH', from })
  return (
    <Flex vertical gap={12}>
      <Flex justify="end">
        <Link to={`/stock/waste?${all}`}>{t('refills.all')}</Link>
      </Flex>
      {list.length === 0 ? <Empty title={t('refills.empty')} /> : null}
      {visitsOf(list).map((visit) => (
        <VisitCard key={visit.lines[0]?.id} visit={visit} />
      ))}
      {total > list.length ? <Muted small>{t('refills.only', { n: list.length })}</Muted> : null}
    </Flex>
  )
}

function VisitCard({ visit }: { visit: Visit<FlowRow> }) {
  const { t } = useTranslation(['devices', 'stock'])
  return (
    <article>
      <Flex wrap gap="2px 12px">
        <Time at={visit.to} style="full" />
        <strong>{visit.actorName ?? t(`stock:enums.actorKind.${visit.actorKind}`)}</strong>
        <Muted>{t('refills.visit', { lanes: visit.lanes, pieces: visit.pieces })}</Muted>
      </Flex>
      <Lines columns="72px minmax(0, 260px) 48px 80px minmax(0, 1fr)">
        {visit.lines.map((line) => (
          <li key={line.id}>
            <Muted>{t('refills.road', { n: line.cargoRoad })}</Muted>
            <Cut title={line.productName}>{line.productName}</Cut>
            <b>+{line.changeTotal}</b>
            <Muted>
              {line.beforeChangeTotal} → {line.afterChangeTotal}
            </Muted>
            <Muted small>
              {line.reason === 'REFILL' ? null : t(`stock:enums.reason.${line.reason}`)}
            </Muted>
          </li>
        ))}
      </Lines>
    </article>
  )
}
