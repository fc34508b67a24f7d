import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../../web/api.ts'
import { Rows } from '../../../../web/Detail.tsx'
import { Count, Money } from '../../../../web/Money.tsx'
import { StatusTag } from '../../../../web/StatusTag.tsx'
import { StockBar } from '../../../../web/StockBar.tsx'
import { useMay } from '../../../../web/session.ts'
import { Time } from '../../../../web/Time.tsx'
import { toast } from '../../../../web/toast.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import { DeviceTagChips, DeviceTagSelect } from '../../../device-tags/web/pickers.tsx'
import { DrugControlLink, ModeDialog } from '../../../drug-control/web/pickers.ts'
import { type DeviceDetail, devices } from '../../contract.ts'
import type { TabProps } from './DeviceDrawer.tsx'
import { Hours } from './Hours.tsx'

export function DeviceOverview({ device }: TabProps) {
  const { t } = useTranslation(['devices', 'web'])
  const f = (key: string) => t(`fields.${key}`)
  type Plain = { [K in keyof DeviceDetail]: DeviceDetail[K] extends string ? K : never }
  const said = (...keys: Plain[keyof DeviceDetail][]) =>
    keys.map((key) => [f(key), device[key]] as const)
  const yes = (...keys: ('refrigeration' | 'dropSensor' | 'autoRefund' | 'onlineMall')[]) =>
    keys.map((key) => [f(key), t(`web:bool.${device[key]}`)] as const)
  const word = (key: 'kind' | 'pattern' | 'lifecycle') =>
    [f(key), t(`enums.${key}.${device[key]}`)] as const
  const count = (...keys: ('lanes' | 'soldOut' | 'free')[]) =>
    keys.map((key) => [f(key), <Count key={key} value={device[key]} />] as const)
  const { lastSeenAt, signal, rsrp } = device
  return (
    <>
      <Rows
        title={t('overview.machine')}
        items={[
          ...said('rtuNumber', 'nickname', 'typeName'),
          word('kind'),
          word('pattern'),
          ...yes('refrigeration'),
          word('lifecycle'),
          ...said('ownedUserName'),
          [f('tags'), <DeviceTags key="g" device={device} />],
          ...said('boardNo', 'card'),
          ...yes('dropSensor', 'autoRefund', 'onlineMall'),
          [
            f('businessHours'),
            <Hours key="h" windows={device.businessHours} orgHours={device.orgHours} />,
          ],
          ...said('fw', 'apk'),
          [f('createTime'), <Time key="c" at={device.createTime} style="full" />],
          ...said('remark'),
        ]}
      />
      <Rows
        title={t('overview.place')}
        items={[
          ...said('country', 'regionName', 'address'),
          [f('coordinates'), device.lng === null ? null : `${device.lng}, ${device.lat}`],
        ]}
      />
      <Rows
        title={t('overview.state')}
        items={[
          [
            f('lastSeenAt'),
            lastSeenAt ? (
              <span key="s">
                <Time at={lastSeenAt} style="full" />{' '}
                <Muted>{t(`state.${device.freshness}`)}</Muted>
              </span>
            ) : null,
          ],
          [
            f('signal'),
            signal && `${t(`enums.signal.${signal}`)}${rsrp === null ? '' : ` (${rsrp} dBm)`}`,
          ],
          [f('temperature'), device.temperature?.toFixed(1)],
          [f('humidity'), device.humidity?.toFixed(1)],
          [f('doorOpen'), lastSeenAt && t(`enums.door.${device.doorOpen ? 'open' : 'closed'}`)],
          [f('stock'), <StockBar key="b" stock={device.stock} capacity={device.capacity} />],
          ...count('lanes', 'soldOut', 'free'),
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
            <>
              {device.licenceMatches ? null : (
                <StatusTag tone="warn">{t('form.licenceElsewhere')}</StatusTag>
              )}{' '}
              <DrugControlLink query={`?deviceId=${device.id}`} />
            </>
          }
          items={[
            [f('dispensingMode'), <Mode key="m" device={device} />],
            ...said('licenceNo', 'licenceAddress'),
            [f('licenceUntil'), device.licenceUntil],
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

/** How it dispenses drugs; two people change it. */
function Mode({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const [open, setOpen] = useState(false)
  if (!device.dispensingMode) return null
  return (
    <>
      {t(`mode.${device.dispensingMode}`)}
      {device.can.update ? (
        <Button type="link" size="small" onClick={() => setOpen(true)}>
          {t('modeChange')}
        </Button>
      ) : null}
      {open ? <ModeDialog deviceId={device.id} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** What the machine carries; who may change it puts on and takes off here. */
function DeviceTags({ device: { id, orgId, tags, can } }: TabProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const save = useWrite(devices.tagMany, {
    onSuccess: ({ results: [result] }) => {
      if (result && !result.ok) toast('error', result.reason)
    },
  })
  if (!can.update || !may('device-tag:read')) return <DeviceTagChips tags={tags} />
  const held = tags.map((tag) => tag.id)
  return (
    <DeviceTagSelect
      orgId={orgId}
      value={held}
      label={t('fields.tags')}
      placeholder={t('tags.none')}
      disabled={save.isPending}
      onChange={(ids) =>
        save.mutate({
          ids: [id],
          on: ids.filter((tag) => !held.includes(tag)),
          off: held.filter((tag) => !ids.includes(tag)),
        })
      }
    />
  )
}
