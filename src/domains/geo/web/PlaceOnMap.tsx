import EnvironmentOutlined from '@ant-design/icons/es/icons/EnvironmentOutlined'
import { Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import styles from './geo.module.css'
import type { Picked } from './PickerDialog.tsx'

const PickerDialog = lazyDialog(() => import('./PickerDialog.tsx').then((m) => m.PickerDialog))

type Names = { county: string; address: string; lng: string; lat: string }
const usual: Names = { county: 'county', address: 'address', lng: 'lng', lat: 'lat' }

/** A second control of the longitude: what it changes counts as typed. */
export function PlaceOnMap({ names = usual }: { names?: Names }) {
  return (
    <Form.Item name={names.lng} noStyle>
      <Control names={names} />
    </Form.Item>
  )
}

function Control({
  names,
  value,
  onChange,
}: {
  names: Names
  value?: number | null
  onChange?: (lng: number | null) => void
}) {
  const { t } = useTranslation('geo')
  const form = Form.useFormInstance()
  const lat = Form.useWatch(names.lat, { form, preserve: true }) as number | null | undefined
  const [open, setOpen] = useState(false)
  const placed = typeof value === 'number' && typeof lat === 'number'
  const take = (picked: Picked) => {
    form.setFieldsValue({
      [names.county]: picked.county,
      [names.address]: picked.address,
      [names.lat]: picked.lat,
    })
    onChange?.(picked.lng)
    setOpen(false)
  }
  const clear = () => {
    form.setFieldsValue({ [names.lat]: null })
    onChange?.(null)
  }
  return (
    <div className={styles.place}>
      <Button icon={<EnvironmentOutlined />} onClick={() => setOpen(true)}>
        {t('picker.button')}
      </Button>
      {placed ? (
        <Button type="link" onClick={clear}>
          {t('picker.clear')}
        </Button>
      ) : (
        <span>{t('picker.none')}</span>
      )}
      {open ? (
        <PickerDialog
          start={{
            county: (form.getFieldValue(names.county) as string | undefined) ?? '',
            address: (form.getFieldValue(names.address) as string | undefined) ?? '',
            lng: value ?? null,
            lat: lat ?? null,
          }}
          onPick={take}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </div>
  )
}
