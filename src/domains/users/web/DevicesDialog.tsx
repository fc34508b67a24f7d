import { Button, Modal, Empty as Nothing, Select, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { useSettled } from '../../../web/useSettled.ts'
import { devices } from '../../devices/contract.ts'
import { type OrganUserRow, users } from '../contract.ts'
import styles from './users.module.css'

type Device = { id: number; rtuNumber: string; nickname: string }

/** The machines somebody serves: search and add several, take one away. Each step is saved as it is made. */
export function DevicesDialog({ row, onClose }: { row: OrganUserRow; onClose: () => void }) {
  const { t } = useTranslation(['users', 'web'])
  const active = useActiveTab()
  const confirm = useConfirm()
  const read = useRead(users.devices, { id: row.id })
  const add = useWrite(users.setDevices, { success: 'users:success.devices' })
  const take = useWrite(users.setDevices, { success: 'users:success.unassign' })
  const [chosen, setChosen] = useState<number[]>([])
  const list = read.data?.list ?? []
  const ids = list.map((device) => device.id)
  const remove = async (device: Device) => {
    const sure = await confirm({ title: t('devices.removeAsk'), content: `${device.rtuNumber} ${device.nickname}`, danger: true })
    if (sure) take.mutate({ id: row.id, deviceIds: ids.filter((id) => id !== device.id) })
  }
  if (!active) return null
  return (
    <Modal
      open
      width={640}
      title={t('assignDevicesOf', { name: row.realName })}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('done')}
        </Button>
      }
    >
      <div className={styles.adder}>
        <Machines value={chosen} onChange={setChosen} without={ids} />
        <Button
          disabled={chosen.length === 0 || !read.data}
          loading={add.isPending}
          onClick={() => add.mutate({ id: row.id, deviceIds: [...ids, ...chosen] }, { onSuccess: () => setChosen([]) })}
        >
          {t('devices.add')}
        </Button>
      </div>
      <p className={styles.quiet}>
        {t('devices.assigned', { n: list.length })} · {t('devices.elsewhere')}
      </p>
      {read.isPending ? <Skeleton active paragraph={{ rows: 4 }} /> : null}
      {read.data && list.length === 0 ? <Nothing image={Nothing.PRESENTED_IMAGE_SIMPLE} description={t('devices.none')} /> : null}
      <ul className={styles.machines}>
        {list.map((device) => (
          <li key={device.id}>
            <span className={styles.machine}>
              <b>{device.rtuNumber}</b> {device.nickname}
              <span className={styles.quiet}>{device.operatorName}</span>
            </span>
            <Button type="link" size="small" danger disabled={take.isPending} onClick={() => void remove(device)}>
              {t('devices.remove')}
            </Button>
          </li>
        ))}
      </ul>
    </Modal>
  )
}

/** Several machines, found by number or name; chosen ones keep their words while the search moves on. */
function Machines({ value, onChange, without }: { value: number[]; onChange: (ids: number[]) => void; without: readonly number[] }) {
  const { t } = useTranslation('users')
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim())
  const found = useRead(devices.options, keyword ? { keyword } : {}, { keep: true })
  const held = useRead(devices.options, { ids: value }, { enabled: value.length > 0, keep: true })
  const rows = new Map<number, Device>([...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]))
  const options = [...rows.values()]
    .filter((device) => !without.includes(device.id))
    .map((device) => ({ value: device.id, label: `${device.rtuNumber} ${device.nickname}` }))
  return (
    <Select
      mode="multiple"
      className={styles.search ?? ''}
      value={value}
      options={options}
      loading={found.isFetching}
      placeholder={t('devices.search')}
      aria-label={t('devices.search')}
      maxTagCount="responsive"
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      onChange={(next: number[]) => onChange(next)}
    />
  )
}
