import { useTranslation } from 'react-i18next'
import { Rows } from '../../../../web/Detail.tsx'
import { Count, Money } from '../../../../web/Money.tsx'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { StockBar } from '../../../../web/StockBar.tsx'
import { Time } from '../../../../web/Time.tsx'
import { Muted } from '../../../../web/ui/Text.tsx'
import type { DeviceDetail } from '../../contract.ts'
import { DeviceTags } from './DeviceTags.tsx'
import { Hours } from './Hours.tsx'

export function DeviceOverview({ device }: { device: DeviceDetail }) {
  const { t } = useTranslation(['devices', 'web'])
  const f = (key: string) => t(`fields.${key}`)
  const yes = (value: boolean) => t(`web:bool.${value}`)
  return (
    <>
      <Rows
        title={t('overview.machine')}
        items={[
          [f('rtuNumber'), device.rtuNumber],
          [f('nickname'), device.nickname],
          [f('typeName'), device.typeName],
          [f('kind'), t(`enums.kind.${device.kind}`)],
          [f('pattern'), t(`enums.pattern.${device.pattern}`)],
          [f('refrigeration'), yes(device.refrigeration)],
          [f('lifecycle'), t(`enums.lifecycle.${device.lifecycle}`)],
          [f('ownedUserName'), device.ownedUserName],
          [f('tags'), <DeviceTags key="g" device={device} />],
          [f('boardNo'), device.boardNo],
          [f('card'), device.card],
          [f('dropSensor'), yes(device.dropSensor)],
          [f('autoRefund'), yes(device.autoRefund)],
          [f('onlineMall'), yes(device.onlineMall)],
          [
            f('businessHours'),
            <Hours key="h" windows={device.businessHours} orgHours={device.orgHours} />,
          ],
          [f('fw'), device.fw],
          [f('apk'), device.apk],
          [f('createTime'), <Time key="c" at={device.createTime} style="full" />],
          [f('remark'), device.remark],
        ]}
      />
      <Rows
        title={t('overview.place')}
        items={[
          [f('country'), device.country],
          [f('regionName'), device.regionName],
          [f('address'), device.address],
          [f('coordinates'), device.lng === null ? null : `${device.lng}, ${device.lat}`],
        ]}
      />
      <Rows
        title={t('overview.state')}
        items={[
          [
            f('lastSeenAt'),
            device.lastSeenAt ? (
              <span key="s">
                <Time at={device.lastSeenAt} style="full" />{' '}
                <Muted>{t(`state.${device.freshness}`)}</Muted>
              </span>
            ) : null,
          ],
          [
            f('signal'),
            device.signal
              ? `${t(`enums.signal.${device.signal}`)}${device.rsrp === null ? '' : ` (${device.rsrp} dBm)`}`
              : null,
          ],
          [f('temperature'), device.temperature?.toFixed(1)],
          [f('humidity'), device.humidity?.toFixed(1)],
          [
            f('doorOpen'),
            device.lastSeenAt ? t(`enums.door.${device.doorOpen ? 'open' : 'closed'}`) : null,
          ],
          [f('stock'), <StockBar key="b" stock={device.stock} capacity={device.capacity} />],
          [f('lanes'), <Count key="l" value={device.lanes} />],
          [f('soldOut'), <Count key="o" value={device.soldOut} />],
          [f('free'), <Count key="f" value={device.free} />],
          [f('planogramVersion'), `v${device.planogramVersion}`],
          [f('todayOrders'), <Count key="t" value={device.todayOrders} />],
          ...(device.todayTurnover === null
            ? []
            : [[f('todayTurnover'), <Money key="m" fen={device.todayTurnover} />] as const]),
        ]}
      />
      {device.kind === 'DRUG' ? (
        <Rows
          title={t('overview.licence')}
          extra={
            device.licenceMatches ? null : (
              <StatusTag tone="warn">{t('form.licenceElsewhere')}</StatusTag>
            )
          }
          items={[
            [
              f('dispensingMode'),
              device.dispensingMode ? t(`mode.${device.dispensingMode}`) : null,
            ],
            [f('licenceNo'), device.licenceNo],
            [f('licenceAddress'), device.licenceAddress],
          ]}
        />
      ) : null}
      <Rows
        title={t('overview.staff')}
        items={[
          [f('replenishers'), device.replenishers.join(', ')],
          [f('repairers'), device.repairers.join(', ')],
        ]}
      />
    </>
  )
}
