import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { adMaterials, CreativeRow } from '../contract.ts'
import { thumbOf } from './pickers.tsx'
import { useTabs } from './tabs.ts'
import { stateTones } from './words.ts'

const CreativeFields = lazyDialog(() => import('./fields.tsx').then((m) => m.CreativeFields))

export function CreativeList() {
  const { t } = useTranslation('adMaterials')
  const col = useCols(CreativeRow, 'adMaterials')
  return (
    <ListPage
      ns="adMaterials"
      texts="creative"
      title={t('materials')}
      endpoint={adMaterials.creatives}
      live="ad-materials"
      views={useTabs('creatives')}
      records={{
        create: adMaterials.createCreative,
        update: adMaterials.updateCreative,
        remove: adMaterials.removeCreative,
        fields: CreativeFields,
        blank: { seconds: 10 },
        name: 'title',
        width: 640,
        whyNotRemove: (row) => (row.refCount > 0 ? t('inUse') : undefined),
      }}
      filters={['keyword', 'state', { key: 'orgId', picker: OwnerSelect }]}
      columns={[
        col('file', {
          title: t('preview'),
          width: 72,
          ellipsis: false,
          ...thumbOf<CreativeRow>(),
        }),
        col('title'),
        col('materialName', { link: (row) => `/market/market-manage?detail=${row.materialId}` }),
        col('kind', { width: 80 }),
        col('seconds', { width: 104 }),
        col('caption'),
        col('qrUrl', { defaultHidden: true }),
        col('state', { tones: stateTones }),
        col('validUntil', { defaultHidden: true }),
        col('refCount', { width: 88 }),
        col('orgName'),
        col('createTime'),
      ]}
      card={['materialName', 'seconds', 'caption', 'state']}
    />
  )
}
