import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../../web/api.ts'
import { Part } from '../../../../web/ui/Sheet.tsx'
import { Lead } from '../../../../web/ui/Text.tsx'
import { lanes } from '../../../lanes/contract.ts'
import { DeviceSelect } from '../../../machines/web/pickers.tsx'

const parts: ['product', 'price', 'capacity', 'warnQty', 'restriction'] = [
  'product',
  'price',
  'capacity',
  'warnQty',
  'restriction',
]

/**
 * New machines take the lanes of one that stands already; a machine with another drawing refuses
 * its own copy only.
 */
export function LaneTemplate({ targets }: { targets: readonly number[] }) {
  const { t } = useTranslation('devices')
  const [source, setSource] = useState<number>()
  const copy = useWrite(lanes.copy, { success: 'devices:result.templateDone' })
  return (
    <Part title={t('result.template')}>
      <Lead>{t('result.templatePurpose')}</Lead>
      <Flex gap={8} style={{ maxWidth: 560 }}>
        <DeviceSelect
          value={source}
          onChange={setSource}
          typeOf={targets[0]}
          placeholder={t('result.templateFrom')}
        />
        <Button
          disabled={source === undefined || copy.isSuccess}
          loading={copy.isPending}
          onClick={() =>
            source !== undefined &&
            copy.mutate({ deviceId: source, targetIds: [...targets], parts, layout: 'CREATE' })
          }
        >
          {t('result.templateRun')}
        </Button>
      </Flex>
    </Part>
  )
}
