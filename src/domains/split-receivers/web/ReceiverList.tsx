import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { inWords } from '../../../web/inWords.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { OneOrganisation } from '../../accounts/web/pickers.tsx'
import { useSplitViews } from '../../splits/web/pickers.ts'
import { ReceiverRow, splitReceivers } from '../contract.ts'

const ReceiverFields = lazyDialog(() =>
  import('./ReceiverFields.tsx').then((m) => m.ReceiverFields),
)

/** Who is paid shares at merchants: the third tab of the page. */
export function ReceiverList() {
  const { t } = useTranslation('splitReceivers')
  const col = useCols(ReceiverRow, 'splitReceivers')
  /** Of a company the channel may not have said; to a person nothing comes back from. */
  const consent = ({ kind, returnConsent }: ReceiverRow): string =>
    kind === 'MERCHANT_ID'
      ? returnConsent === null
        ? t('unknown')
        : t(`enums.returnConsent.${returnConsent}`)
      : t('noReturn')
  const error = ({ lastError }: ReceiverRow) => (lastError ? inWords(t, lastError) : '—')
  return (
    <ListPage
      ns="splitReceivers"
      endpoint={splitReceivers.list}
      live="split-receivers"
      views={useSplitViews('receivers')}
      records={{
        ...splitReceivers,
        fields: ReceiverFields,
        blank: { configId: null, kind: 'MERCHANT_ID', relation: 'PARTNER' },
        name: 'partyName',
      }}
      filters={[{ key: 'partyId', picker: OneOrganisation }, 'provider', 'kind', 'state']}
      columns={[
        col('partyName', { fixed: 'start' }),
        col('provider', { tones: {} }),
        col('kind', { tones: {} }),
        col('account'),
        col('relation', { tones: {} }),
        col('returnConsent', {
          fit: (_, row) => consent(row),
          render: (_, row) => consent(row),
        }),
        col('state'),
        col('lastError', { fit: (_, row) => error(row), render: (_, row) => error(row) }),
        col('merchantName', { defaultHidden: true }),
        col('holderName', { defaultHidden: true }),
        col('checkedAt', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
        col('createTime', { defaultHidden: true }),
      ]}
      empty={{ title: t('none'), hint: t('noneHint') }}
      card={['provider', 'kind', 'account', 'returnConsent', 'lastError']}
    />
  )
}
