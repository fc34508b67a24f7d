import { Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Select } from '../../../web/ui/select.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { splitStrategies } from '../contract.ts'

type Props = {
  readonly id?: string
  readonly value?: readonly number[]
  readonly onChange?: (ids: number[]) => void
}

/** Lanes of several machines: a machine at a time offers its own; chosen ones stay. */
export function LanesSelect({ id, value = [], onChange }: Props) {
  const { t } = useTranslation(['splitStrategies', 'web'])
  const [deviceId, setDeviceId] = useState<number | undefined>()
  const asked = {
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(value.length ? { laneIds: [...value] } : {}),
  }
  const read = useRead(splitStrategies.lanes, asked, {
    keep: true,
    enabled: Object.keys(asked).length > 0,
  })
  return (
    <Flex vertical gap={8}>
      <DeviceSelect
        value={deviceId}
        placeholder={t('laneMachine')}
        onChange={(next) => setDeviceId(next ?? undefined)}
      />
      <Select
        {...(id ? { id } : {})}
        mode="multiple"
        style={{ width: '100%' }}
        value={[...value]}
        loading={read.isFetching}
        placeholder={t('web:form.choose')}
        showSearch={{ optionFilterProp: 'label' }}
        options={(read.data?.list ?? []).map((lane) => ({
          value: lane.id,
          label: [lane.rtuNumber, t('road', { n: lane.road }), lane.productName]
            .filter(Boolean)
            .join(' '),
        }))}
        onChange={(next: number[]) => onChange?.(next)}
      />
    </Flex>
  )
}
