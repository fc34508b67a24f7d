import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextAreaField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { OneOrganisation } from '../../accounts/web/pickers.tsx'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import { DebtRow, splits } from '../contract.ts'
import { useSplitViews } from './pickers.ts'

/** What parties owe: the last tab of the page. */
export function DebtList() {
  const { t } = useTranslation('splits')
  const col = useCols(DebtRow, 'splits')
  const may = useMay()
  const [off, setOff] = useState<DebtRow | null>(null)
  return (
    <>
      <ListPage
        ns="splits"
        endpoint={splits.debts}
        live="splits"
        title={t('views.debts')}
        views={useSplitViews('debts')}
        filters={[
          'orderNum',
          { key: 'partyId', picker: OneOrganisation },
          ...(may('referrer:read') ? [{ key: 'referrerId' as const, picker: ReferrerSelect }] : []),
          'closed',
        ]}
        columns={[
          col('partyName', { fixed: 'start' }),
          col('orderNum', { title: t('fields.source') }),
          col('refundNo'),
          col('amount'),
          col('netted'),
          col('rest'),
          col('age', {
            fit: (_, { age }) => t('days', { n: age }),
            render: (_, { age }) => t('days', { n: age }),
          }),
          col('collectorName', { defaultHidden: true }),
          col('writtenOff', { defaultHidden: true }),
          col('offBy'),
          col('offReason', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'writeOff',
            label: t('writeOff'),
            can: row.can.writeOff,
            onClick: () => setOff(row),
          },
        ]}
        empty={{ title: t('noDebts') }}
        card={['orderNum', 'amount', 'netted', 'rest', 'age']}
      />
      {off ? <WriteOffDialog debt={off} onClose={() => setOff(null)} /> : null}
    </>
  )
}

function WriteOffDialog({ debt, onClose }: { debt: DebtRow; onClose: () => void }) {
  const { t } = useTranslation('splits')
  const { id, version, offBy, offReason } = debt
  return (
    <FormDialog
      ns="splits"
      title={t('writeOff')}
      save={splits.writeOff}
      initial={{ id, version, reason: offReason }}
      onSaved={(answer) => {
        toast('success', t((answer as DebtRow).rest === 0 ? 'done' : 'asked'))
        onClose()
      }}
      okText={t('writeOff')}
      danger
      onClose={onClose}
    >
      <Note>
        {offBy === null
          ? t('writeOffHint')
          : t('writeOffAsked', { name: offBy, reason: offReason })}
      </Note>
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
