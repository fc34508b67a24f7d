import { Checkbox, Flex, Input, Table } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { Muted } from '../../../../web/ui/Text.tsx'
import { useDebounced } from '../../../../web/useDebounced.ts'
import { type DeviceRow, devices } from '../../../devices/contract.ts'
import type { Planogram } from '../../contract.ts'
import { machineColumns } from './MachineTable.tsx'

type Props = { plan: Planogram; value: readonly number[]; onChange: (ids: number[]) => void }

/**
 * Machines to copy to: searched, of the same type unless others are wanted; the choice lasts over
 * pages and searches.
 */
export function CopyTargets({ plan, value, onChange }: Props) {
  const { t } = useTranslation('lanes')
  const [{ typed, alike, page }, ask] = useState({ typed: '', alike: true, page: 1 })
  const keyword = useDebounced(typed.trim())
  const read = useRead(
    devices.list,
    {
      page,
      pageSize: 20,
      sort: 'rtuNumber',
      ...(keyword ? { keyword } : {}),
      ...(alike ? { typeId: plan.device.typeId } : {}),
    },
    { keep: true },
  )
  return (
    <Flex vertical gap={8}>
      <Flex wrap align="center" gap={12}>
        <Input.Search
          allowClear
          style={{ width: 240 }}
          placeholder={t('copy.search')}
          aria-label={t('copy.search')}
          value={typed}
          onChange={({ target }) => ask({ typed: target.value, alike, page: 1 })}
        />
        <Checkbox
          checked={alike}
          onChange={({ target }) => ask({ typed, alike: target.checked, page: 1 })}
        >
          {t('copy.alike', { name: plan.device.typeName })}
        </Checkbox>
        <span style={{ marginLeft: 'auto' }}>
          <Muted>{t('copy.chosen', { n: value.length })}</Muted>
        </span>
      </Flex>
      <Table<DeviceRow>
        rowKey="id"
        size="small"
        loading={read.isPending}
        dataSource={read.data?.list ?? []}
        scroll={{ y: 280, x: 620 }}
        pagination={{
          current: page,
          pageSize: 20,
          total: read.data?.total ?? 0,
          showSizeChanger: false,
          size: 'small',
          onChange: (next) => ask({ typed, alike, page: next }),
        }}
        rowSelection={{
          selectedRowKeys: [...value],
          preserveSelectedRowKeys: true,
          columnWidth: 40,
          onChange: (keys) => onChange(keys.map(Number)),
          getCheckboxProps: (row) =>
            ({ disabled: row.id === plan.device.id, 'aria-label': row.rtuNumber }) as object,
        }}
        columns={[
          ...machineColumns<DeviceRow>(t),
          { dataIndex: 'typeName', title: t('copy.columns.typeName'), width: 140, ellipsis: true },
          { dataIndex: 'lanes', title: t('totals.lanes'), align: 'right', width: 72 },
          { dataIndex: 'free', title: t('enums.view.empty'), align: 'right', width: 72 },
        ]}
      />
    </Flex>
  )
}
