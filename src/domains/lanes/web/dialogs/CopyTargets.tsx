import { Checkbox, Input, Table } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { type DeviceRow, devices } from '../../../devices/contract.ts'
import type { Planogram } from '../../contract.ts'
import styles from './dialogs.module.css'

type Props = { plan: Planogram; value: readonly number[]; onChange: (ids: number[]) => void }

/** Machines to copy to: searched, of the same type unless others are wanted; the choice lasts over pages and searches. */
export function CopyTargets({ plan, value, onChange }: Props) {
  const { t } = useTranslation('lanes')
  const [typed, setTyped] = useState('')
  const [keyword, setKeyword] = useState('')
  const [alike, setAlike] = useState(true)
  const [page, setPage] = useState(1)
  useEffect(() => {
    const timer = setTimeout(() => {
      setKeyword(typed.trim())
      setPage(1)
    }, 250)
    return () => clearTimeout(timer)
  }, [typed])
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
    <div className={styles.targets}>
      <span className={styles.search}>
        <Input.Search
          allowClear
          placeholder={t('copy.search')}
          aria-label={t('copy.search')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Checkbox
          checked={alike}
          onChange={(event) => {
            setAlike(event.target.checked)
            setPage(1)
          }}
        >
          {t('copy.alike', { name: plan.device.typeName })}
        </Checkbox>
        <span>{t('copy.chosen', { n: value.length })}</span>
      </span>
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
          onChange: setPage,
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
          {
            key: 'rtuNumber',
            dataIndex: 'rtuNumber',
            title: t('copy.columns.rtuNumber'),
            width: 120,
          },
          {
            key: 'nickname',
            dataIndex: 'nickname',
            title: t('copy.columns.nickname'),
            width: 180,
            ellipsis: true,
          },
          {
            key: 'typeName',
            dataIndex: 'typeName',
            title: t('copy.columns.typeName'),
            width: 140,
            ellipsis: true,
          },
          { key: 'lanes', dataIndex: 'lanes', title: t('totals.lanes'), align: 'right', width: 72 },
          {
            key: 'free',
            dataIndex: 'free',
            title: t('enums.view.empty'),
            align: 'right',
            width: 72,
          },
        ]}
      />
    </div>
  )
}
