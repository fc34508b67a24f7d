import { Button, Flex, Tabs } from 'antd'
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../../web/api.ts'
import { Detail } from '../../../../web/Detail.tsx'
import { lazyDialog } from '../../../../web/lazyDialog.tsx'
import type { DetailProps } from '../../../../web/list/types.ts'
import { useLive } from '../../../../web/live.ts'
import { Skeleton } from '../../../../web/Problem.tsx'
import { useMay } from '../../../../web/session.ts'
import { Facts } from '../../../../web/ui/Card.tsx'
import { Dropdown } from '../../../../web/ui/popup.tsx'
import { Tooltip } from '../../../../web/ui/Tooltip.tsx'
import { QueryButton } from '../../../device-commands/web/pickers.tsx'
import { SettingsTab } from '../../../device-settings/web/pickers.tsx'
import { LanePlan } from '../../../lanes/web/pickers.tsx'
import { type DeviceDetail, devices } from '../../contract.ts'
import { DeviceStatus } from '../DeviceStatus.tsx'
import { type Opened, useRemote } from '../list/verbs.ts'
import { DeviceOverview } from './DeviceOverview.tsx'
import { DeviceStaff } from './DeviceStaff.tsx'

const DeviceDialogs = lazyDialog(() =>
  import('../list/DeviceDialogs.tsx').then((m) => m.DeviceDialogs),
)

export type TabProps = { device: DeviceDetail }
type Tab = ComponentType<TabProps>
const later = (load: () => Promise<Tab>) => lazy(async () => ({ default: await load() }))
const lists = () => import('./DeviceLists.tsx')

/** In their order: name, who sees it, and what it shows; each reads for itself. */
const tabs: readonly (readonly [key: string, rights: readonly string[], shows: Tab])[] = [
  ['overview', ['device:read'], DeviceOverview],
  ['lanes', ['lane:read'], ({ device }) => <LanePlan deviceId={device.id} />],
  ['orders', ['order:read'], later(() => lists().then((m) => m.DeviceOrders))],
  ['flows', ['stock-flow:read'], later(() => lists().then((m) => m.DeviceFlows))],
  [
    'refills',
    ['stock-flow:read'],
    later(() => import('./DeviceRefills.tsx').then((m) => m.DeviceRefills)),
  ],
  [
    'faults',
    ['fault:read', 'alarm:read'],
    later(() => import('./DeviceFaults.tsx').then((m) => m.DeviceTroubles)),
  ],
  [
    'timeline',
    ['device:read'],
    later(() => import('./DeviceTimeline.tsx').then((m) => m.DeviceTimeline)),
  ],
  [
    'curves',
    ['device:read'],
    later(() => import('./DeviceCurves.tsx').then((m) => m.DeviceCurves)),
  ],
  ['settings', ['device:read'], ({ device }) => <SettingsTab deviceId={device.id} />],
  ['staff', ['device:read'], DeviceStaff],
  ['logs', ['log:read'], later(() => lists().then((m) => m.DeviceLogs))],
]

/** A machine beside the list or the map, at the tab named by `?tab=`. */
export function DeviceDrawer({ id, onPrevious, onNext }: DetailProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(devices.detail, { id: Number(id) }, { inline: true, enabled: known })
  useLive('devices', [devices.detail.path])
  const device = known ? read.data : undefined
  const go = (change: Record<string, string | null>) => {
    for (const [key, value] of Object.entries(change))
      value === null ? params.delete(key) : params.set(key, value)
    navigate(params.size ? `${pathname}?${params}` : pathname, { replace: true })
  }
  const seen = tabs.filter(([, rights]) => rights.some((right) => may(right)))
  const wanted = params.get('tab')
  return (
    <Detail
      open={known}
      onPrevious={onPrevious}
      onNext={onNext}
      onClose={() => go({ detail: null, tab: null })}
      title={device?.nickname ?? ''}
      {...(device ? { status: <DeviceStatus device={device} chip />, id: device.rtuNumber } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={device ? <Deeds device={device} /> : null}
    >
      {device ? (
        <>
          <Head device={device} />
          <Tabs
            key={device.id}
            items={seen.map(([key, , Shows]) => ({
              key,
              label: t(`tabs.${key}`),
              children: (
                <Suspense fallback={<Skeleton rows={6} />}>
                  <Shows device={device} />
                </Suspense>
              ),
            }))}
            destroyOnHidden
            activeKey={seen.find(([key]) => key === wanted)?.[0] ?? 'overview'}
            onChange={(key) => go({ tab: key === 'overview' ? null : key })}
          />
        </>
      ) : null}
    </Detail>
  )
}

/** What the machine said last, and a button that asks it again. */
function Head({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const f = (key: string, value: ReactNode) => [t(`fields.${key}`), value || '\u2014'] as const
  // who was never heard says nothing about its door
  const door = device.lastSeenAt ? t(`enums.door.${device.doorOpen ? 'open' : 'closed'}`) : null
  return (
    <Flex wrap align="center" justify="space-between" gap={8}>
      <Facts
        items={[
          f('signal', device.signal ? t(`enums.signal.${device.signal}`) : null),
          f('temperature', device.temperature?.toFixed(1)),
          f('humidity', device.humidity?.toFixed(1)),
          f('doorOpen', door),
          f('fw', device.fw),
          f('apk', device.apk),
          ...(device.locked ? [f('locked', t('web:bool.true'))] : []),
        ]}
      />
      {may('device:update') ? (
        <QueryButton id={device.id} online={device.status === 'online'} />
      ) : null}
    </Flex>
  )
}

function Deeds({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<Opened | null>(null)
  const remote = useRemote(setOpened)(device).filter(({ can }) => can)
  const items = remote.map(({ key, label, disabled, onClick }) => ({
    ...{ key, disabled: disabled !== undefined, onClick: () => onClick?.() },
    // what waits for the machine says so itself
    label: (
      <Tooltip title={disabled} placement="left">
        <span>{label}</span>
      </Tooltip>
    ),
  }))
  return (
    <>
      {items.length > 0 ? (
        <Dropdown menu={{ items }} trigger={['click']}>
          <Button>{t('remote')}</Button>
        </Dropdown>
      ) : null}
      {may('lane:read') ? (
        <Button onClick={() => navigate(`/device/device-list/cargo-road/${device.id}`)}>
          {t('lanes')}
        </Button>
      ) : null}
      {device.can.update ? (
        <Button type="primary" onClick={() => navigate(`/device/device-list/edit/${device.id}`)}>
          {t('edit')}
        </Button>
      ) : null}
      {opened ? <DeviceDialogs opened={opened} onClose={() => setOpened(null)} /> : null}
    </>
  )
}
