import { Flex } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import type { DeviceConfig } from '../contract.ts'
import { deviceSettings } from '../contract.ts'
import { limitFields } from '../rules.ts'
import { SettingField, settingNames } from './SettingFields.tsx'
import { SyncTag } from './SyncTag.tsx'
import styles from './settings.module.css'

/** The settings one machine should have; it takes them when it is connected. */
export function SettingsDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation('deviceSettings')
  const confirm = useConfirm()
  const read = useRead(deviceSettings.get, { id })
  useLive('shadows', [deviceSettings.get.path])
  useEffect(() => {
    if (read.isError) onClose()
  }, [read.isError, onClose])
  const device = read.data
  if (!device) return null
  const isLimit = (name: string) => limitFields.some((limit) => limit === name)
  const names = settingNames.filter((name) => device.refrigeration || !name.startsWith('temp'))
  return (
    <FormDialog
      title={`${t('title')} ${device.rtuNumber} ${device.nickname}`}
      width={640}
      ns="deviceSettings"
      save={deviceSettings.save}
      initial={{ ...device.config, id, version: device.version }}
      // an emptied temperature is missing, not switched off
      toInput={(values) =>
        device.refrigeration
          ? {
              ...values,
              tempMin: values.tempMin ?? undefined,
              tempMax: values.tempMax ?? undefined,
            }
          : values
      }
      before={async (values) =>
        values.dropSensor !== false ||
        !device.config.dropSensor ||
        (await confirm({ title: t('sensorOffAsk'), ok: t('web:action.save'), danger: true }))
      }
      success="deviceSettings:success.save"
      onClose={onClose}
    >
      <Flex wrap align="center" gap="4px 12px" className={styles.wide ?? ''}>
        <SyncTag sync={device.sync} chip />
        <Storage device={device} />
        {device.refrigeration ? null : <Muted>{t('notCooling')}</Muted>}
      </Flex>
      {names.map((name) => (
        <SettingField key={name} name={name} disabled={isLimit(name) && !device.can.limits} />
      ))}
    </FormDialog>
  )
}

/** What the limits must keep: products of a drug machine with their range. */
function Storage({ device }: { device: DeviceConfig }) {
  const { t } = useTranslation('deviceSettings')
  if (device.storage.length === 0) return null
  const list = device.storage
    .map(({ product, min, max }) => `${product} ${min ?? ''}–${max ?? ''} °C`)
    .join(' · ')
  return <Muted>{t('storage', { list })}</Muted>
}
