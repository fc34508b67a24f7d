import { Button, Tabs } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import { useLive } from '../../../web/live.ts'
import { useMay } from '../../../web/session.ts'
import { LanePlan } from '../../lanes/web/pickers.tsx'
import { devices } from '../contract.ts'
import { DeviceFaults } from './DeviceFaults.tsx'
import { DeviceOverview } from './DeviceOverview.tsx'
import { DeviceStatus } from './DeviceStatus.tsx'
import { DeviceTimeline } from './DeviceTimeline.tsx'

/** The machine named by `?detail=`; each tab reads for itself, and only with its own permission. */
export function DeviceDrawer() {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const id = Number(new URLSearchParams(search).get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(devices.detail, { id }, { inline: true, enabled: open })
  useLive('devices', [devices.detail.path])
  const device = open ? read.data : undefined
  const close = () => {
    const params = new URLSearchParams(search)
    params.delete('detail')
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  const tabs = device
    ? [
        { key: 'overview', label: t('tabs.overview'), children: <DeviceOverview device={device} /> },
        ...(may('lane:read') ? [{ key: 'lanes', label: t('tabs.lanes'), children: <LanePlan deviceId={device.id} /> }] : []),
        ...(may('fault:read') ? [{ key: 'faults', label: t('tabs.faults'), children: <DeviceFaults deviceId={device.id} /> }] : []),
        { key: 'timeline', label: t('tabs.timeline'), children: <DeviceTimeline deviceId={device.id} /> },
      ]
    : []
  return (
    <Detail
      open={open}
      onClose={close}
      title={device?.nickname ?? ''}
      {...(device ? { status: <DeviceStatus device={device} chip />, id: device.rtuNumber } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        device ? (
          <>
            {may('order:read') ? <Button onClick={() => navigate(`/order/order-list?deviceId=${device.id}`)}>{t('tabs.orders')}</Button> : null}
            {may('lane:read') ? <Button onClick={() => navigate(`/device/device-list/cargo-road/${device.id}`)}>{t('lanes')}</Button> : null}
            {device.can.update ? (
              <Button type="primary" onClick={() => navigate(`/device/device-list/edit/${device.id}`)}>
                {t('edit')}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {device ? <Tabs key={device.id} items={tabs} destroyOnHidden /> : null}
    </Detail>
  )
}
