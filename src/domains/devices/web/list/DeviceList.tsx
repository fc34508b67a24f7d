import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { z } from 'zod'
import { useRead } from '../../../../web/api.ts'
import { useCols } from '../../../../web/columns.tsx'
import { ListPage } from '../../../../web/ListPage.tsx'
import { lazyDialog } from '../../../../web/lazyDialog.tsx'
import { activeFilters, readQuery } from '../../../../web/list/listUrl.ts'
import { usePreference } from '../../../../web/list/usePreference.ts'
import { useLive } from '../../../../web/live.ts'
import { Count, Money } from '../../../../web/Money.tsx'
import { StockBar } from '../../../../web/StockBar.tsx'
import { useMay } from '../../../../web/session.ts'
import { Bad, Cut } from '../../../../web/ui/Text.tsx'
import { useDetail } from '../../../../web/useDetail.ts'
import { DeviceTagChips, DeviceTagDots } from '../../../device-tags/web/pickers.tsx'
import { DeviceRow, devices } from '../../contract.ts'
import { DeviceStatus, useDeviceState } from '../DeviceStatus.tsx'
import { DeviceCard } from './DeviceCard.tsx'
import { deviceFilters } from './deviceFilters.tsx'
import { ListOrMap } from './ListOrMap.tsx'
import type { SavedView } from './SavedViews.tsx'
import { type Opened, useBatchActions, useRowActions } from './verbs.ts'

const DeviceDrawer = lazyDialog(() =>
  import('../detail/DeviceDrawer.tsx').then((m) => m.DeviceDrawer),
)
const DeviceDialogs = lazyDialog(() => import('./DeviceDialogs.tsx').then((m) => m.DeviceDialogs))
const SavedViews = lazyDialog(() => import('./SavedViews.tsx').then((m) => m.SavedViews))

const views = {
  online: { status: 'online' },
  offline: { status: 'offline' },
  fault: { hasFault: true },
  soldOut: { soldOut: true },
  tempAlarm: { tempAlarm: true },
} as const
/** Preferences may come from an older build: anything else is ignored. */
const Saved = z.object({ name: z.string(), query: z.record(z.string(), z.unknown()) })
const readSaved = (found: unknown): readonly SavedView[] =>
  Array.isArray(found) ? found.flatMap((view) => Saved.safeParse(view).data ?? []) : []
/** Those that few need. */
const more = (
  'kind storeName regionName address boardNo card humidity low free faultCount lifecycle fw apk ' +
  'lastSeenAt createTime'
).split(' ') as (keyof DeviceRow & string)[]
const none = <span className="hd-none">—</span>

export function DeviceList() {
  const { t } = useTranslation(['devices', 'web'])
  const col = useCols(DeviceRow, 'devices')
  const may = useMay()
  const navigate = useNavigate()
  const { search } = useLocation()
  const detail = useDetail()
  const counts = useRead(devices.counts, {}, { inline: true, keep: true }).data
  useLive('devices', [devices.counts.path])
  const [opened, setOpened] = useState<Opened | null>(null)
  const [naming, setNaming] = useState(false)
  const [saved, setSaved] = usePreference('views:/device/device-list', readSaved)
  const actions = useRowActions(setOpened)
  const batch = useBatchActions(setOpened)
  const stateOf = useDeviceState()
  const query = readQuery(devices.list.input, search)
  const used = activeFilters(devices.list.input, query).map((key) => [key, query[key]])
  const go = (label: string, to: string, can: boolean) =>
    can ? <Button onClick={() => navigate(to)}>{t(label)}</Button> : null
  const add = may('device:create') ? (
    <Button
      type="primary"
      icon={<PlusOutlined />}
      onClick={() => navigate('/device/device-create')}
    >
      {t('create')}
    </Button>
  ) : null
  return (
    <>
      <ListPage
        ns="devices"
        endpoint={devices.list}
        live="devices"
        detail={DeviceDrawer}
        header={
          <>
            <ListOrMap at="list" />
            {go('alerts', '/device/alerts', may('alarm:read'))}
            {go('stores', '/device/stores', may('store:read'))}
            {go('deviceTags', '/device/device-tags', may('device-tag:read'))}
            <Button onClick={() => setNaming(true)}>{t('saved.button')}</Button>
            {add}
          </>
        }
        views={[
          { key: 'all', label: t('views.all'), query: {}, count: counts?.all },
          ...(Object.keys(views) as (keyof typeof views)[]).map((key) => ({
            key,
            label: t(`views.${key}`),
            query: views[key],
            count: counts?.[key],
          })),
          ...saved.map(({ name, query }) => ({ key: `saved ${name}`, label: name, query })),
        ]}
        filters={deviceFilters(t, may)}
        columns={[
          col('rtuNumber', { link: (row) => detail.to(row.id) }),
          col('nickname', {
            fit: (_, { nickname, tags }) => `${nickname}${'   '.repeat(Math.min(tags.length, 3))}`,
            render: (_, { nickname, tags }) => (
              <Flex align="center" gap={6}>
                <Cut own>{nickname}</Cut>
                <DeviceTagDots tags={tags} />
              </Flex>
            ),
          }),
          col('typeName'),
          col('status', {
            fit: (_, row) => `   ${stateOf(row).word} ${stateOf(row).note ?? ''}`,
            render: (_, row) => <DeviceStatus device={row} />,
          }),
          col('signal', { tones: { weak: 'warn' }, width: 64, defaultHidden: true }),
          col('temperature', {
            fit: (value) => String(value ?? ''),
            render: (_, { temperature, tempAlarm }) =>
              temperature === null ? none : <Bad when={tempAlarm}>{temperature.toFixed(1)}</Bad>,
          }),
          col('stock', {
            width: 136,
            render: (_, { stock, capacity }) =>
              capacity === 0 ? none : <StockBar stock={stock} capacity={capacity} />,
          }),
          col('soldOut', {
            fit: String,
            render: (_, { soldOut }) => (soldOut > 0 ? <Bad>{soldOut}</Bad> : <Count value={0} />),
          }),
          col('todayOrders', { title: t('head.todayOrders') }),
          may('dashboard:money') && col('todayTurnover', { title: t('head.todayTurnover') }),
          col('tags', {
            defaultHidden: true,
            fit: (_, { tags }) => tags.map(({ name }) => `${name}   `).join(''),
            render: (_, { tags }) => (tags.length > 0 ? <DeviceTagChips tags={tags} /> : none),
          }),
          col('ownedUserName'),
          ...more.map((key) => col(key, { defaultHidden: true })),
        ]}
        actions={actions}
        batch={batch}
        sums={({ sums: { todayOrders, todayTurnover } }) => [
          { label: t('fields.todayOrders'), value: <Count value={todayOrders} /> },
          ...(todayTurnover === null
            ? []
            : [{ label: t('fields.todayTurnover'), value: <Money fen={todayTurnover} /> }]),
        ]}
        empty={{ title: t('empty'), ...(add ? { action: add } : { hint: t('emptyHint') }) }}
        card={(row, deeds) => <DeviceCard row={row} to={detail.to(row.id)} actions={deeds} />}
      />
      {opened ? <DeviceDialogs opened={opened} onClose={() => setOpened(null)} /> : null}
      {naming ? (
        <SavedViews
          saved={saved}
          query={Object.fromEntries(used)}
          onSave={setSaved}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </>
  )
}
