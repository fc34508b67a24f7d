import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { queryClient, readKey, useWrite } from '../../../../web/api.ts'
import { call } from '../../../../web/call.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import type { BatchAction, RowAction, Selection } from '../../../../web/list/types.ts'
import { useMay } from '../../../../web/session.ts'
import { useDetail } from '../../../../web/useDetail.ts'
import { exportList } from '../../../jobs/web/pickers.ts'
import { type DeviceRow, devices } from '../../contract.ts'

export type LeavingAct = 'PAUSED' | 'SOLD' | 'SCRAPPED' | 'restore'
type RowAct = 'settings' | 'test' | 'REBOOT' | 'LOCK' | 'UNLOCK' | 'DOOR' | LeavingAct
type BatchAct = 'settings' | 'tags' | 'reboot' | 'pause' | 'copy'
/** What is open over the list: a deed for one machine or for the chosen ones. */
export type Opened =
  | { readonly act: RowAct; readonly row: DeviceRow }
  | { readonly act: BatchAct; readonly selection: Selection<DeviceRow> }
type Open = (opened: Opened) => void

/** What a machine is told over the network, while it is in use. */
export function useRemote(open: Open): (row: DeviceRow) => RowAction[] {
  const { t } = useTranslation('devices')
  const may = useMay()
  return (row) => {
    const there = row.lifecycle !== 'SOLD' && row.lifecycle !== 'SCRAPPED'
    const tell = (act: RowAct, label: string, can: boolean) => ({
      ...{ key: act, label: t(label), can: can && there },
      disabled: row.status === 'offline' ? t('offlineHint') : undefined,
      onClick: () => open({ act, row }),
    })
    return [
      tell('test', 'testVend', may('device:test') && may('lane:read')),
      tell('REBOOT', 'commands.REBOOT', may('device:reboot')),
      tell('LOCK', 'commands.LOCK', may('device:lock') && !row.locked),
      tell('UNLOCK', 'commands.UNLOCK', may('device:lock') && row.locked),
      tell('DOOR', 'commands.DOOR', may('device:open-door')),
    ]
  }
}

/** What can be done with one machine; what asks something opens its dialog. */
export function useRowActions(open: Open): (row: DeviceRow) => RowAction[] {
  const { t } = useTranslation('devices')
  const may = useMay()
  const detail = useDetail()
  const remote = useRemote(open)
  const operate = useOperate()
  return (row) => {
    const { id, can } = row
    const there = row.lifecycle !== 'SOLD' && row.lifecycle !== 'SCRAPPED'
    const page = (key: string, to: string, can: boolean) => ({ key, label: t(key), can, to })
    const ask = (act: RowAct, label: string, can: boolean) => ({
      ...{ key: act, label: t(label), can },
      onClick: () => open({ act, row }),
    })
    const end = (act: RowAct, label: string, can: boolean) => ({
      ...ask(act, label, can),
      danger: true,
    })
    return [
      page('lanes', `/device/device-list/cargo-road/${id}`, may('lane:read')),
      page('edit', `/device/device-list/edit/${id}`, can.update),
      page('detail', detail.to(id), true),
      ask('settings', 'settings', may('device:config') && there),
      page('assign', `/device/device-list/distribution/${id}`, may('device:assign') && there),
      page('orders', `/order/order-list?deviceId=${id}`, may('order:read')),
      ...remote(row).filter(({ key }) => key !== 'DOOR'),
      {
        key: 'operate',
        label: t(row.lifecycle === 'PAUSED' ? 'resume' : 'operate'),
        can: can.operate,
        onClick: () => void operate(row),
      },
      end('PAUSED', 'pause', can.pause),
      end('SOLD', 'leaving.SOLD.title', can.retire),
      end('SCRAPPED', 'leaving.SCRAPPED.title', can.retire),
      ask('restore', 'leaving.restore.title', can.restore),
    ]
  }
}

/** Asks, reads the present version and lets the machine sell; a change in between answers 409. */
function useOperate() {
  const { t } = useTranslation('devices')
  const confirm = useConfirm()
  const write = useWrite(devices.setLifecycle, { success: 'web:success.done' })
  return async ({ id, rtuNumber }: DeviceRow) => {
    const now = await queryClient
      .fetchQuery({
        queryKey: readKey(devices.detail, { id }),
        queryFn: () => call(devices.detail, { id }),
        staleTime: 0,
      })
      .catch(() => null)
    if (!now) return
    const title = `${t(now.lifecycle === 'PAUSED' ? 'resume' : 'operate')} ${rtuNumber}`
    if (await confirm({ title, content: t('operateAsk'), ok: title }))
      write.mutate({ id, version: now.version, to: 'OPERATING' })
  }
}

/** The columns of a file with chosen machines. */
const exported = (
  'rtuNumber nickname typeName tags ownedUserName regionName address boardNo card lifecycle ' +
  'status signal temperature stock capacity soldOut faultCount createTime'
).split(' ')

/** What can be done with several. */
export function useBatchActions(open: Open): BatchAction<DeviceRow>[] {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const confirm = useConfirm()
  const ask = (act: BatchAct, can: boolean, danger = false) => ({
    ...{ key: act, label: t(`batch.${act}`), can, danger },
    onClick: (selection: Selection<DeviceRow>) => open({ act, selection }),
  })
  return [
    ask('settings', may('device:config')),
    {
      key: 'assign',
      label: t('batch.assign'),
      can: may('device:assign'),
      onClick: ({ keys }) => void navigate(`/device/device-distribution?ids=${keys.join(',')}`),
    },
    ask('tags', may('device:update') && may('device-tag:read')),
    ask('reboot', may('device:reboot')),
    ask('pause', may('device:update'), true),
    ask('copy', may('lane:copy')),
    {
      key: 'export',
      label: t('batch.export'),
      can: may('device:export'),
      onClick: ({ keys }) =>
        void exportList({
          endpoint: devices.list,
          ns: 'devices',
          query: { ids: keys },
          columns: exported,
          total: keys.length,
          confirm,
        }),
    },
  ]
}
