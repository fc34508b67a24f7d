import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useMay } from '../../../web/session.ts'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { type DeviceAssignments, distribution } from '../contract.ts'
import styles from './distribution.module.css'

export function StorePart({ device }: { device: DeviceAssignments }) {
  const { t } = useTranslation('distribution')
  const may = useMay()
  const [storeId, setStoreId] = useState<number | null>(device.storeId)
  const save = useWrite(distribution.setStore, { success: 'distribution:success.setStore' })
  return (
    <div className={styles.part}>
      <div>
        <h2>{t('store.title')}</h2>
        <p>{t('store.purpose')}</p>
      </div>
      <div className={styles.body}>
        {device.can.store && may('store:read') ? (
          <div className={styles.line}>
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
          </div>
        ) : (
          <span>{device.storeName || t('store.none')}</span>
        )}
      </div>
    </div>
  )
}
