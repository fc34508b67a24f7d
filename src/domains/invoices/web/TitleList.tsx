import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { invoices, TitleRow } from '../contract.ts'
import { useTabs } from './tabs.ts'

const TitleFields = lazyDialog(() => import('./TitleFields.tsx').then((m) => m.TitleFields))

export function TitleList() {
  const { t } = useTranslation('invoices')
  const col = useCols(TitleRow, 'invoices')
  const { orgId } = useUser()
  return (
    <ListPage
      ns="invoices"
      texts="titles"
      endpoint={invoices.titles}
      live="invoices"
      title={t('many')}
      views={useTabs('titles')}
      records={{
        create: invoices.createTitle,
        update: invoices.updateTitle,
        remove: invoices.removeTitle,
        fields: TitleFields,
        blank: { orgId },
        width: 640,
      }}
      filters={[{ key: 'orgId', picker: OwnerSelect }]}
      columns={[
        col('title'),
        col('taxNo'),
        col('address', { defaultHidden: true }),
        col('phone', { defaultHidden: true }),
        col('bank', { defaultHidden: true }),
        col('bankAccount', { defaultHidden: true }),
        col('email'),
        col('isDefault', { width: 104 }),
        col('orgName'),
        col('createTime'),
      ]}
      card={['taxNo', 'orgName', 'email']}
    />
  )
}
