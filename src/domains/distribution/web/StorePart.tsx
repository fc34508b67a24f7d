import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useMay } from '../../../web/session.ts'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { type DeviceAssignments, distribution } from '../contract.ts'
import { Sides } from './Sides.tsx'

export function StorePart({ device }: { device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  const may = useMay()
  const [storeId, setStoreId] = useState<number | null>(device.storeId)
  const save = useWrite(distribution.setStore, { success: 'distribution:success.setStore' })
  return (
    <Sides title={t('store.title')} purpose={t('store.purpose')}>
      {device.can.store && may('store:read') ? (
        <Flex gap={8}>
          <StoreSelect
            orgId={device.orgId}
            value={storeId}
            onChange={setStoreId}
            placeholder={t('store.none')}
          />
          <Button
            disabled={storeId === device.storeId}
            loading={save.isPending}
            onClick={() =>
              save.mutate(
                { id: device.id, version: device.version, storeId },
                { onError: () => setStoreId(device.storeId) },
              )
            }
          >
            {t('store.save')}
          </Button>
        </Flex>
      ) : (
        <span>{device.storeName || t('store.none')}</span>
      )}
    </Sides>
  )
}
