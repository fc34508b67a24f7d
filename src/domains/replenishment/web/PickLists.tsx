import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { replenishment } from '../contract.ts'
import { PickList } from '../pickListContract.ts'
import { useViews } from './views.ts'

export function PickLists() {
  const { t } = useTranslation('replenishment')
  const col = useCols(PickList, 'replenishment')
  const to = (row: PickList) => `/stock/replenish/pick-lists/${row.id}`
  return (
    <ListPage
      ns="replenishment"
      endpoint={replenishment.pickLists}
      live="replenishment"
      title={t('title')}
      views={useViews('picks')}
      columns={[
        col('id', { width: 96, title: t('views.picks'), link: to }),
        col('devices'),
        col('pieces'),
        col('userName'),
        col('createTime'),
      ]}
      actions={(row) => [{ key: 'open', label: t('action.open'), to: to(row) }]}
      empty={{ title: t('noPicks'), hint: t('picksHint') }}
      card={['devices', 'pieces', 'userName', 'createTime']}
    />
  )
}
