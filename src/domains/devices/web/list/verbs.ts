import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useConfirm } from '../../../../web/confirm.tsx'
import type { BatchAction, RowAction, Selection } from '../../../../web/list/types.ts'
import { useMay } from '../../../../web/session.ts'
import { useDetail } from '../../../../web/useDetail.ts'
import { exportList } from '../../../jobs/web/pickers.ts'
import { type DeviceRow, devices } from '../../contract.ts'
import type { Opened, RowAct } from './opened.ts'
import { useLifecycle } from './useLifecycle.ts'

/** The columns of a file with chosen machines. */
const exported = (
  'rtuNumber nickname typeName tags ownedUserName regionName address boardNo card lifecycle ' +
  'status signal temperature stock capacity soldOut faultCount createTime'
).split(' ')

/** What can be done with one machine; what asks something opens its dialog. */
export function useRowActions(open: (opened: Opened) => void): (row: DeviceRow) => RowAction[] {
  const { t } = useTranslation('devices')
  const may = useMay()
  const detail = useDetail()
  const operate = useLifecycle()
  return (row) => {
    const { id, rtuNumber, locked, can } = row
    const there = row.lifecycle !== 'SOLD' && row.lifecycle !== 'SCRAPPED'
    const offline = row.status === 'offline' ? t('offlineHint') : undefined
    const page = (key: string, to: string, allowed: boolean) => ({
      key,
      label: t(key),
      can: allowed,
      to,
    })
    const ask = (act: RowAct, label: string, allowed: boolean) => ({
      key: act,
      label: t(label),
      can: allowed,
      onClick: () => open({ act, row }),
    })
    const told = (act: RowAct, label: string, allowed: boolean) => ({
      ...ask(act, label, allowed && there),
      disabled: offline,
    })
    const grave = (act: RowAct, label: string, allowed: boolean) => ({
      ...ask(act, label, allowed),
      danger: true,
    })
    return [
      page('lanes', `/device/device-list/cargo-road/${id}`, may('lane:read')),
      page('edit', `/device/device-list/edit/${id}`, can.update),
      page('detail', detail.to(id), true),
      ask('settings', 'settings', may('device:config') && there),
      page('assign', `/device/device-list/distribution/${id}`, may('device:assign') && there),
      page('orders', `/order/order-list?deviceId=${id}`, may('order:read')),
      told('test', 'testVend', may('device:test') && may('lane:read')),
      told('REBOOT', 'commands.REBOOT', may('device:reboot')),
      told('LOCK', 'commands.LOCK', may('device:lock') && !locked),
      told('UNLOCK', 'commands.UNLOCK', may('device:lock') && locked),
      {
        key: 'operate',
        label: t(row.lifecycle === 'PAUSED' ? 'resume' : 'operate'),
        can: can.operate,
        onClick: () => void operate(id, rtuNumber),
      },
      grave('PAUSED', 'pause', can.pause),
      grave('SOLD', 'leaving.SOLD.title', can.retire),
      grave('SCRAPPED', 'leaving.SCRAPPED.title', can.retire),
      ask('restore', 'leaving.restore.title', can.restore),
    ]
  }
}

/** What can be done with several. */
export function useBatch(open: (opened: Opened) => void): BatchAction<DeviceRow>[] {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const act = (
    key: string,
    right: string,
    onClick: (selection: Selection<DeviceRow>) => void,
    danger = false,
  ) => ({ key, label: t(`batch.${key}`), can: may(right), danger, onClick })
  const assign = ({ keys }: Selection<DeviceRow>) =>
    navigate(`/device/device-distribution?ids=${keys.join(',')}`)
  const write = async ({ keys }: Selection<DeviceRow>) => {
    await exportList({
      endpoint: devices.list,
      ns: 'devices',
      query: { ids: keys },
      columns: exported,
      total: keys.length,
      confirm,
    })
  }
  return [
    act('settings', 'device:config', (selection) => open({ act: 'batchSettings', selection })),
    act('assign', 'device:assign', (selection) => void assign(selection)),
    {
      ...act('tags', 'device:update', (selection) => open({ act: 'batchTags', selection })),
      can: may('device:update') && may('device-tag:read'),
    },
    act('reboot', 'device:reboot', (selection) => open({ act: 'batchReboot', selection })),
    act('pause', 'device:update', (selection) => open({ act: 'batchPause', selection }), true),
    act('copy', 'lane:copy', (selection) => open({ act: 'batchCopy', selection })),
    act('export', 'device:export', (selection) => void write(selection)),
  ]
}
