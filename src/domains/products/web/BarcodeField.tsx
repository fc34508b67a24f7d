import ScanOutlined from '@ant-design/icons/es/icons/ScanOutlined'
import { Button, Form, Input, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { canScan } from '../../../web/camera.ts'
import { Field } from '../../../web/form/fields.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { products } from '../contract.ts'
import { barcodeIsValid } from '../rules.ts'

const ScanDialog = lazyDialog(() => import('./ScanDialog.tsx').then((m) => m.ScanDialog))

/** Typed, by a scanner that types, or by the camera; says whose code it is already. */
export function BarcodeField({ id }: { id: number | undefined }) {
  const { t } = useTranslation('products')
  const typed = Form.useWatch<unknown>('barcode')
  const code = useDebounced(typeof typed === 'string' ? typed.trim() : '')
  const known = barcodeIsValid(code)
  const { data } = useRead(
    products.list,
    { keyword: code, pageSize: 3 },
    { inline: true, enabled: known },
  )
  const same = known ? data?.list.find((row) => row.barcode === code && row.id !== id) : undefined
  const name = same && `${same.name} ${same.model}`
  const found =
    same === undefined ? null : same.can.edit ? (
      <Link to={`/product/product-manage/edit/${same.id}`}>{t('form.sameCode', { name })}</Link>
    ) : (
      t(same.source === 'OWN' ? 'form.sameCode' : 'form.sameAbove', { name })
    )
  return (
    <Field name="barcode" hint={<span role="status">{found ?? t('form.scan')}</span>}>
      <ScanInput />
    </Field>
  )
}

type InputProps = { id?: string; value?: string | null; onChange?: (code: string) => void }

function ScanInput({ id, value, onChange }: InputProps) {
  const { t } = useTranslation('products')
  const [scanning, setScanning] = useState(false)
  return (
    <Space.Compact block>
      <Input
        {...(id ? { id } : {})}
        value={value ?? ''}
        maxLength={14}
        inputMode="numeric"
        autoComplete="off"
        onChange={(event) => onChange?.(event.target.value)}
        // a scanner ends with it
        onPressEnter={(event) => event.preventDefault()}
      />
      {canScan() ? (
        <Button icon={<ScanOutlined />} onClick={() => setScanning(true)}>
          {t('form.camera')}
        </Button>
      ) : null}
      {scanning ? (
        <ScanDialog onFound={(code) => onChange?.(code)} onClose={() => setScanning(false)} />
      ) : null}
    </Space.Compact>
  )
}
