import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { OneOrganisation } from '../../accounts/web/pickers.tsx'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import { AccountRow, payoutAccounts } from '../contract.ts'

const AccountFields = lazyDialog(() => import('./AccountFields.tsx').then((m) => m.AccountFields))

/** Where the own organisation is paid, and for whoever sees them those of others. */
export function AccountList() {
  const { t } = useTranslation('payoutAccounts')
  const col = useCols(AccountRow, 'payoutAccounts')
  const { orgName } = useUser()
  const may = useMay()
  const whose = Number(useSearchParams()[0].get('referrerId')) || null
  return (
    <ListPage
      ns="payoutAccounts"
      endpoint={payoutAccounts.list}
      live="payout-accounts"
      records={{
        ...payoutAccounts,
        fields: AccountFields,
        blank: { method: 'BANK', holder: whose ? '' : orgName, referrerId: whose },
        name: 'accountNo',
      }}
      filters={[
        'method',
        { key: 'orgId', picker: OneOrganisation },
        ...(may('referrer:read') ? [{ key: 'referrerId' as const, picker: ReferrerSelect }] : []),
      ]}
      columns={[
        col('accountNo'),
        col('method', { tones: {} }),
        col('holder'),
        col('bankName'),
        col('state'),
        col('usableTime'),
        col('orgName'),
        col('referrerName'),
        col('createTime', { defaultHidden: true }),
      ]}
      empty={{ title: t('none'), hint: t('noHint') }}
      card={['referrerName', 'method', 'holder', 'bankName', 'usableTime']}
    />
  )
}
