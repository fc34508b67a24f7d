import PrinterOutlined from '@ant-design/icons/es/icons/PrinterOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { replenishment } from '../contract.ts'
import { PickItem } from '../pickListContract.ts'

/** What to take along, by product; on paper it is the page alone. */
export function PickItems() {
  const { t } = useTranslation('replenishment')
  const { id } = useParams()
  const col = useCols(PickItem, 'replenishment')
  useTabTitle(`#${id}`)
  return (
    <ListPage
      ns="replenishment"
      title={t('pickTitle', { id })}
      endpoint={replenishment.pickItems}
      fixed={{ id: Number(id) }}
      rowKey="productId"
      header={
        <Button icon={<PrinterOutlined />} onClick={() => window.print()}>
          {t('print')}
        </Button>
      }
      columns={[col('productName'), col('model'), col('barcode'), col('planned'), col('devices')]}
      empty={{ title: t('noPicks') }}
      card={['model', 'planned', 'devices']}
    />
  )
}
