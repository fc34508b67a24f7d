import ImportOutlined from '@ant-design/icons/es/icons/ImportOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { ImportDialog } from '../../../web/ImportDialog.tsx'
import styles from './devices.module.css'

/** Machines from a spreadsheet; what comes of it is shown by the import itself. */
export function DeviceImport() {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  return (
    <section className={`hd-sheet ${styles.result}`} aria-label={t('form.importTitle')}>
      <h1>{t('form.importTitle')}</h1>
      <p className={styles.payload}>{t('form.importPurpose')}</p>
      <div className={styles.buttons}>
        <Button type="primary" icon={<ImportOutlined />} onClick={() => setOpen(true)}>
          {t('form.importOpen')}
        </Button>
        <Button onClick={() => navigate('/device/device-list')}>{t('result.open')}</Button>
      </div>
      {open ? (
        <ImportDialog
          kind="devices"
          title={t('form.importTitle')}
          invalidates={['/api/devices', '/api/main-boards', '/api/device-assignments']}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </section>
  )
}
