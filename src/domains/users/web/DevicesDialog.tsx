import { Button, Flex, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'

import { useDebounced } from '../../../web/useDebounced.ts'
import { machines } from '../../machines/contract.ts'

import { type OrganUserRow, users } from '../contract.ts'

type Device = { id: number; rtuNumber: string; nickname: string }

/**
 * The machines somebody serves: search and add several, take one away. Each step is saved as it is
 * made.
 */
export function DevicesDialog({ row, onClose }: { row: OrganUserRow; onClose: () => void }) {
  const { t } = useTranslation(['users', 'web'])
  const active = useActiveTab()
  const confirm = useConfirm()
  const read = useRead(users.devices, { id: row.id })
  const add = useWrite(users.setDevices, { success: 'web:success.saved' })
  const take = useWrite(users.setDevices, { success: 'web:success.done' })
  const [chosen, setChosen] = useState<number[]>([])
  const list = read.data?.list ?? []
  const ids = list.map((device) => device.id)
  const remove = async (device: Device) => {
    const sure = await confirm({
      title: t('devices.removeAsk'),
      content: `${device.rtuNumber} ${device.nickname}`,
      danger: true,
    })
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
          {t('web:action.done')}
        </Button>
      }
    >
      <Flex gap={8} style={{ marginBottom: 8 }}>
        <Machines value={chosen} onChange={setChosen} without={ids} />
        <Button
          disabled={chosen.length === 0 || !read.data}
          loading={add.isPending}
          onClick={() =>
            add.mutate(
              { id: row.id, deviceIds: [...ids, ...chosen] },
              { onSuccess: () => setChosen([]) },
            )
          }
        >
          {t('devices.add')}
        </Button>
      </Flex>
      <Lead>
        {t('devices.assigned', { n: list.length })} · {t('devices.elsewhere')}
      </Lead>
      <Table
        size="small"
        rowKey="id"
        showHeader={false}
        loading={read.isPending}
        dataSource={list}
        pagination={false}
        scroll={{ y: 360 }}
        locale={{ emptyText: t('devices.none') }}
        columns={[
          {
            key: 'name',
            render: (_, device) => (
              <>
                <b>{device.rtuNumber}</b> {device.nickname} <Muted>{device.operatorName}</Muted>
              </>
            ),
          },
          {
            key: 'take',
            width: 88,
            render: (_, device) => (
              <Button
                type="link"
                size="small"
                danger
                disabled={take.isPending}
                onClick={() => void remove(device)}
              >
                {t('web:action.remove')}
              </Button>
            ),
          },
        ]}
      />
    </Modal>
  )
}

/**
 * Several machines, found by number or name; chosen ones keep their words while the search moves
 * on.
 */
function Machines({
  value,
  onChange,
  without,
}: {
  value: number[]
  onChange: (ids: number[]) => void
  without: readonly number[]
}) {
  const { t } = useTranslation('users')
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const found = useRead(machines.options, keyword ? { keyword } : {}, { keep: true })
  const held = useRead(machines.options, { ids: value }, { enabled: value.length > 0, keep: true })
  const rows = new Map<number, Device>(
    [...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]),
  )
  const options = [...rows.values()]
    .filter((device) => !without.includes(device.id))
    .map((device) => ({ value: device.id, label: `${device.rtuNumber} ${device.nickname}` }))
  return (
    <Select
      mode="multiple"
      style={{ flex: 1, minWidth: 0 }}
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
