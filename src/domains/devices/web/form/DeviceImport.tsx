import ImportOutlined from '@ant-design/icons/es/icons/ImportOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { PageHead, Sheet } from '../../../../web/ui/Sheet.tsx'
import { Lead } from '../../../../web/ui/Text.tsx'
import { ImportDialog } from '../../../jobs/web/pickers.ts'

/** Machines from a spreadsheet; what comes of it is shown by the import itself. */
export function DeviceImport() {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  return (
    <Sheet label={t('form.importTitle')}>
      <PageHead title={t('form.importTitle')} />
      <Lead>{t('form.importPurpose')}</Lead>
      <Flex gap={8}>
        <Button type="primary" icon={<ImportOutlined />} onClick={() => setOpen(true)}>
          {t('form.importOpen')}
        </Button>
        <Button onClick={() => navigate('/device/device-list')}>{t('result.open')}</Button>
      </Flex>
      {open ? (
        <ImportDialog
          kind="devices"
          title={t('form.importTitle')}
          invalidates={['/api/devices', '/api/main-boards', '/api/device-assignments']}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Sheet>
  )
}
