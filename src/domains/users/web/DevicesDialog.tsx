import { Button, Flex, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
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
        <div style={{ flex: 1, minWidth: 0 }}>
          <DevicesSelect
            value={chosen}
            onChange={setChosen}
            without={ids}
            placeholder={t('devices.search')}
          />
        </div>
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
