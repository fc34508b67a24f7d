import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { activeFilters, readQuery } from '../../../web/list/listUrl.ts'
import { usePreference } from '../../../web/list/usePreference.ts'
import { useLive } from '../../../web/live.ts'
import { Count, Money } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StockBar } from '../../../web/StockBar.tsx'
import { useMay } from '../../../web/session.ts'
import { DeviceRow, devices } from '../contract.ts'
import { DeviceStatus } from './DeviceStatus.tsx'
import { deviceFilters } from './deviceFilters.tsx'
import styles from './devices.module.css'
import { ListOrMap } from './ListOrMap.tsx'
import type { Opened, RowAct } from './opened.ts'
import { readSaved } from './savedViews.ts'
import { useLifecycle } from './useLifecycle.ts'

const DeviceDrawer = lazyDialog(() => import('./DeviceDrawer.tsx').then((m) => m.DeviceDrawer))
const DeviceDialogs = lazyDialog(() => import('./DeviceDialogs.tsx').then((m) => m.DeviceDialogs))
const SavedViews = lazyDialog(() => import('./SavedViews.tsx').then((m) => m.SavedViews))

/** The columns of a file with chosen machines. */
const exported =
  'rtuNumber nickname typeName ownedUserName regionName address boardNo card lifecycle status signal temperature stock capacity soldOut faultCount createTime'.split(
    ' ',
  )

export function DeviceList() {
  const { t } = useTranslation(['devices', 'web'])
  const col = useCols(DeviceRow, 'devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const detailed = new URLSearchParams(search).has('detail')
  const counts = useRead(devices.counts, {}, { inline: true, keep: true })
  useLive('devices', [devices.counts.path])
  const operate = useLifecycle()
  const confirm = useConfirm()
  const [opened, setOpened] = useState<Opened | null>(null)
  const [naming, setNaming] = useState(false)
  const [saved, setSaved] = usePreference('views:/device/device-list', readSaved)
  const query = readQuery(devices.list.input, search)
  const filter = Object.fromEntries(
    activeFilters(devices.list.input, query).map((key) => [key, query[key]]),
  )
  const detail = (id: number) => {
    const params = new URLSearchParams(search)
    params.set('detail', String(id))
    return `${pathname}?${params}`
  }
  const lanesPath = (row: DeviceRow) => `/device/device-list/cargo-road/${row.id}`
  const n = counts.data
  const view = (
    key: 'online' | 'offline' | 'fault' | 'soldOut' | 'tempAlarm',
    query: Record<string, unknown>,
  ) => ({
    key,
    label: t(`views.${key}`),
    query,
    count: n?.[key],
  })
  const add = may('device:create') ? (
    <Button
      type="primary"
      icon={<PlusOutlined />}
      onClick={() => navigate('/device/device-create')}
    >
      {t('create')}
    </Button>
  ) : null
  const english = usePrefs().lang === 'en'
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const money = may('dashboard:money') ? [col('todayTurnover', { ...w(92, 132) })] : []
  const rose = (value: number) =>
    value > 0 ? <b className={styles.out}>{value}</b> : <Count value={0} />
  const quiet = (key: keyof DeviceRow & string, width?: number) =>
    col(key, { defaultHidden: true, ...(width ? { width } : {}) })
  return (
    <>
      <ListPage
        title={t('title')}
        ns="devices"
        endpoint={devices.list}
        rowKey="id"
        live="devices"
        header={
          <>
            <ListOrMap at="list" />
            {may('alarm:read') ? (
              <Button onClick={() => navigate('/device/alerts')}>{t('alerts')}</Button>
            ) : null}
            {may('store:read') ? (
              <Button onClick={() => navigate('/device/stores')}>{t('stores')}</Button>
            ) : null}
            <Button onClick={() => setNaming(true)}>{t('saved.button')}</Button>
            {add}
          </>
        }
        onRow={(row) => navigate(detail(row.id))}
        views={[
          { key: 'all', label: t('views.all'), query: {}, count: n?.all },
          view('online', { status: 'online' }),
          view('offline', { status: 'offline' }),
          view('fault', { hasFault: true }),
          view('soldOut', { soldOut: true }),
          view('tempAlarm', { tempAlarm: true }),
          ...saved.map((one) => ({ key: `saved ${one.name}`, label: one.name, query: one.query })),
        ]}
        filters={deviceFilters(t)}
        columns={[
          col('rtuNumber', { ...w(96, 136), ellipsis: false, link: (row) => detail(row.id) }),
          col('nickname', { width: 120 }),
          col('typeName', { width: 106 }),
          col('status', { ...w(100, 136), render: (_, row) => <DeviceStatus device={row} /> }),
          col('signal', {
            ...w(48, 76),
            tones: {},
            render: (_, row) =>
              row.signal === 'weak' ? (
                <b className={styles.warn}>{t('enums.signal.weak')}</b>
              ) : row.signal ? (
                t(`enums.signal.${row.signal}`)
              ) : (
                <span className="hd-none">—</span>
              ),
          }),
          col('temperature', {
            ...w(70, 92),
            render: (_, row) =>
              row.temperature === null ? (
                <span className="hd-none">—</span>
              ) : (
                <span className={row.tempAlarm ? styles.hot : undefined}>
                  {row.temperature.toFixed(1)}
                </span>
              ),
          }),
          col('stock', {
            ...w(128, 144),
            render: (_, row) =>
              row.capacity === 0 ? (
                <span className="hd-none">—</span>
              ) : (
                <StockBar stock={row.stock} capacity={row.capacity} />
              ),
          }),
          col('soldOut', { ...w(80, 92), render: (_, row) => rose(row.soldOut) }),
          col('todayOrders', { ...w(80, 116) }),
          ...money,
          col('ownedUserName', { ...w(100, 140) }),
          quiet('kind', 88),
          quiet('storeName', 120),
          quiet('regionName', 200),
          quiet('address', 200),
          quiet('boardNo', 140),
          quiet('card', 176),
          quiet('humidity', 84),
          quiet('low', 84),
          quiet('free', 84),
          quiet('faultCount', 72),
          col('lifecycle', { width: 80, defaultHidden: true }),
          quiet('fw', 88),
          quiet('apk', 88),
          quiet('lastSeenAt'),
          quiet('createTime'),
        ]}
        actions={(row) => {
          const offline = row.status === 'offline' ? t('offlineHint') : undefined
          const closed = row.lifecycle === 'SOLD' || row.lifecycle === 'SCRAPPED'
          const ask = (act: RowAct) => () => setOpened({ act, row })
          const told = (key: 'REBOOT' | 'LOCK' | 'UNLOCK', code: string, can = true) => ({
            key,
            label: t(`commands.${key}`),
            can: may(code) && can && !closed,
            disabled: offline,
            onClick: ask(key),
          })
          return [
            { key: 'lanes', label: t('lanes'), can: may('lane:read'), to: lanesPath(row) },
            {
              key: 'edit',
              label: t('edit'),
              can: row.can.update,
              to: `/device/device-list/edit/${row.id}`,
            },
            { key: 'detail', label: t('detail'), to: detail(row.id) },
            {
              key: 'settings',
              label: t('settings'),
              can: may('device:config') && !closed,
              onClick: ask('settings'),
            },
            {
              key: 'assign',
              label: t('assign'),
              can: may('device:assign') && !closed,
              to: `/device/device-list/distribution/${row.id}`,
            },
            {
              key: 'orders',
              label: t('orders'),
              can: may('order:read'),
              to: `/order/order-list?deviceId=${row.id}`,
            },
            {
              key: 'test',
              label: t('testVend'),
              can: may('device:test') && may('lane:read') && !closed,
              disabled: offline,
              onClick: ask('test'),
            },
            told('REBOOT', 'device:reboot'),
            told('LOCK', 'device:lock', !row.locked),
            told('UNLOCK', 'device:lock', row.locked),
            {
              key: 'operate',
              label: t(row.lifecycle === 'PAUSED' ? 'resume' : 'operate'),
              can: row.can.operate,
              onClick: () => void operate(row.id, row.rtuNumber),
            },
            {
              key: 'pause',
              label: t('pause'),
              danger: true,
              can: row.can.pause,
              onClick: ask('PAUSED'),
            },
            {
              key: 'sell',
              label: t('leaving.SOLD.title'),
              danger: true,
              can: row.can.retire,
              onClick: ask('SOLD'),
            },
            {
              key: 'scrap',
              label: t('leaving.SCRAPPED.title'),
              danger: true,
              can: row.can.retire,
              onClick: ask('SCRAPPED'),
            },
            {
              key: 'restore',
              label: t('leaving.restore.title'),
              can: row.can.restore,
              onClick: ask('restore'),
            },
          ]
        }}
        batch={[
          {
            key: 'settings',
            label: t('batch.settings'),
            can: may('device:config'),
            onClick: (selection) => setOpened({ act: 'batchSettings', selection }),
          },
          {
            key: 'assign',
            label: t('batch.assign'),
            can: may('device:assign'),
            onClick: ({ keys }) => navigate(`/device/device-distribution?ids=${keys.join(',')}`),
          },
          {
            key: 'reboot',
            label: t('batch.reboot'),
            can: may('device:reboot'),
            onClick: (selection) => setOpened({ act: 'batchReboot', selection }),
          },
          {
            key: 'pause',
            label: t('batch.pause'),
            can: may('device:update'),
            danger: true,
            onClick: (selection) => setOpened({ act: 'batchPause', selection }),
          },
          {
            key: 'copy',
            label: t('batch.copy'),
            can: may('lane:copy'),
            onClick: (selection) => setOpened({ act: 'batchCopy', selection }),
          },
          {
            key: 'export',
            label: t('batch.export'),
            can: may('device:export'),
            onClick: async ({ keys }) => {
              const { exportList } = await import('../../../web/list/exportList.ts')
              await exportList({
                endpoint: devices.list,
                ns: 'devices',
                query: { ids: keys },
                columns: exported,
                total: keys.length,
                confirm,
              })
            },
          },
        ]}
        sums={(answer) => [
          { label: t('fields.todayOrders'), value: <Count value={answer.sums.todayOrders} /> },
          ...(answer.sums.todayTurnover === null
            ? []
            : [
                {
                  label: t('fields.todayTurnover'),
                  value: <Money fen={answer.sums.todayTurnover} />,
                },
              ]),
        ]}
        empty={{ title: t('empty'), ...(add ? { action: add } : { hint: t('emptyHint') }) }}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <Link to={detail(row.id)}>{row.rtuNumber}</Link>
              <strong>{row.nickname}</strong>
              <DeviceStatus device={row} chip />
            </div>
            <div className={styles.cardFacts}>
              <span>{row.address}</span>
              {row.capacity > 0 ? <StockBar stock={row.stock} capacity={row.capacity} /> : null}
              <span>
                {t('fields.soldOut')} {rose(row.soldOut)}
              </span>
              <span>
                {t('fields.todayOrders')} <b>{row.todayOrders}</b>
              </span>
            </div>
            {actions}
          </>
        )}
      />
      {detailed ? <DeviceDrawer /> : null}
      {opened ? <DeviceDialogs opened={opened} onClose={() => setOpened(null)} /> : null}
      {naming ? (
        <SavedViews
          saved={saved}
          query={filter}
          onSave={setSaved}
          onClose={() => setNaming(false)}
        />
      ) : null}
    </>
  )
}
