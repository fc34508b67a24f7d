import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Count, Money } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { StockBar } from '../../../web/StockBar.tsx'
import { useMay } from '../../../web/session.ts'
import { DeviceTypeSelect } from '../../device-types/web/pickers.tsx'
import { DeviceRow, devices } from '../contract.ts'
import { DeviceStatus } from './DeviceStatus.tsx'
import styles from './devices.module.css'
import { OwnerSelect, RegionSelect } from './pickers.tsx'
import { useLifecycle } from './useLifecycle.ts'

const DeviceDrawer = lazyDialog(() => import('./DeviceDrawer.tsx').then((m) => m.DeviceDrawer))

export function DeviceList() {
  const { t } = useTranslation(['devices', 'web'])
  const col = useCols(DeviceRow, 'devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const detailed = new URLSearchParams(search).has('detail')
  const counts = useRead(devices.counts, {}, { inline: true, keep: true })
  useLive('devices', [devices.counts.path])
  const change = useLifecycle()
  const detail = (id: number) => {
    const params = new URLSearchParams(search)
    params.set('detail', String(id))
    return `${pathname}?${params}`
  }
  const lanesPath = (row: DeviceRow) => `/device/device-list/cargo-road/${row.id}`
  const n = counts.data
  const view = (key: 'online' | 'offline' | 'fault' | 'soldOut' | 'tempAlarm', query: Record<string, unknown>) => ({
    key,
    label: t(`views.${key}`),
    query,
    count: n?.[key],
  })
  const add = may('device:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate('/device/device-create')}>
      {t('create')}
    </Button>
  ) : null
  const english = usePrefs().lang === 'en'
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const money = may('dashboard:money') ? [col('todayTurnover', { ...w(98, 132) })] : []
  const rose = (value: number) => (value > 0 ? <b className={styles.out}>{value}</b> : <Count value={0} />)
  const quiet = (key: keyof DeviceRow & string, width?: number) => col(key, { defaultHidden: true, ...(width ? { width } : {}) })
  return (
    <>
      <ListPage
        title={t('title')}
        ns="devices"
        endpoint={devices.list}
        rowKey="id"
        live="devices"
        header={add}
        onRow={(row) => navigate(detail(row.id))}
        views={[
          { key: 'all', label: t('views.all'), query: {}, count: n?.all },
          view('online', { status: 'online' }),
          view('offline', { status: 'offline' }),
          view('fault', { hasFault: true }),
          view('soldOut', { soldOut: true }),
          view('tempAlarm', { tempAlarm: true }),
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'typeId', picker: ({ onChange, ...rest }) => <DeviceTypeSelect {...rest} onChange={onChange} /> },
          { key: 'orgId', picker: ({ onChange, ...rest }) => <OwnerSelect {...rest} onChange={onChange} /> },
          { key: 'region', picker: ({ onChange, ...rest }) => <RegionSelect any {...rest} onChange={onChange} /> },
          { key: 'lifecycle' },
          { key: 'status', more: true },
          { key: 'signal', more: true },
          { key: 'kind', more: true },
          { key: 'hasFault', more: true },
          { key: 'soldOut', more: true },
          { key: 'tempAlarm', more: true },
          { key: 'boardNo', more: true },
          { key: 'card', more: true },
          { key: 'range', more: true },
        ]}
        columns={[
          col('rtuNumber', { ...w(96, 136), ellipsis: false, link: (row) => detail(row.id) }),
          col('nickname', { width: 120 }),
          col('typeName', { width: 112 }),
          col('status', { ...w(112, 136), render: (_, row) => <DeviceStatus device={row} /> }),
          col('signal', {
            ...w(52, 76),
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
            ...w(76, 92),
            render: (_, row) =>
              row.temperature === null ? (
                <span className="hd-none">—</span>
              ) : (
                <span className={row.tempAlarm ? styles.hot : undefined}>{row.temperature.toFixed(1)}</span>
              ),
          }),
          col('stock', {
            ...w(128, 144),
            render: (_, row) => (row.capacity === 0 ? <span className="hd-none">—</span> : <StockBar stock={row.stock} capacity={row.capacity} />),
          }),
          col('soldOut', { ...w(82, 92), render: (_, row) => rose(row.soldOut) }),
          col('todayOrders', { ...w(84, 116) }),
          ...money,
          col('ownedUserName', { ...w(100, 140) }),
          quiet('kind', 88),
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
        actions={(row) => [
          { key: 'lanes', label: t('lanes'), can: may('lane:read'), to: lanesPath(row) },
          { key: 'edit', label: t('edit'), can: row.can.update, to: `/device/device-list/edit/${row.id}` },
          { key: 'detail', label: t('detail'), to: detail(row.id) },
          { key: 'orders', label: t('orders'), can: may('order:read'), to: `/order/order-list?deviceId=${row.id}` },
          {
            key: 'operate',
            label: t(row.lifecycle === 'PAUSED' ? 'resume' : 'operate'),
            can: row.can.operate,
            onClick: () => void change(row.id, row.rtuNumber, 'OPERATING'),
          },
          { key: 'pause', label: t('pause'), danger: true, can: row.can.pause, onClick: () => void change(row.id, row.rtuNumber, 'PAUSED') },
        ]}
        sums={(answer) => [
          { label: t('fields.todayOrders'), value: <Count value={answer.sums.todayOrders} /> },
          ...(answer.sums.todayTurnover === null ? [] : [{ label: t('fields.todayTurnover'), value: <Money fen={answer.sums.todayTurnover} /> }]),
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
    </>
  )
}
