import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { AccountRow, payoutAccounts } from '../contract.ts'

const AccountFields = lazyDialog(() => import('./AccountFields.tsx').then((m) => m.AccountFields))

/** Where the own organisation is paid, and for whoever sees them those of others. */
export function AccountList() {
  const { t } = useTranslation('payoutAccounts')
  const col = useCols(AccountRow, 'payoutAccounts')
  const { orgName } = useUser()
  return (
    <ListPage
      ns="payoutAccounts"
      endpoint={payoutAccounts.list}
      live="payout-accounts"
      records={{
        ...payoutAccounts,
        fields: AccountFields,
        blank: { method: 'BANK', holder: orgName },
        name: 'accountNo',
      }}
      filters={['method', { key: 'orgId', picker: OwnerSelect }]}
      columns={[
        col('accountNo'),
        col('method', { tones: {} }),
        col('holder'),
        col('bankName'),
        col('state'),
        col('usableTime'),
        col('orgName'),
        col('createTime', { defaultHidden: true }),
      ]}
      empty={{ title: t('none'), hint: t('noHint') }}
      card={['method', 'holder', 'bankName', 'usableTime']}
    />
  )
}
