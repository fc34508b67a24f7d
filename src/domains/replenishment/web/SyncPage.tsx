import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { useNarrow } from '../../../web/shell/useWidth.ts'
import { Cut } from '../../../web/ui/Text.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { numberAndName } from '../../machines/web/pickers.tsx'
import { Conflict } from '../conflictContract.ts'
import { replenishment } from '../contract.ts'
import { useSaid } from './conflictTexts.ts'
import { OnPhone } from './OnPhone.tsx'
import { useViews } from './views.ts'

/** What phones did that does not fit to what the lanes are, and what becomes of it. */
export function SyncPage() {
  const { t } = useTranslation('replenishment')
  const col = useCols(Conflict, 'replenishment')
  const may = useMay()
  const said = useSaid()
  const narrow = useNarrow()
  const [chosen, setChosen] = useState<Conflict>()
  const close = () => setChosen(undefined)
  return (
    <>
      <OnPhone centre />
      <ListPage
        ns="replenishment"
        endpoint={replenishment.conflicts}
        live="replenishment"
        title={t('title')}
        views={useViews('sync')}
        filters={[
          { key: 'keyword', label: t('device') },
          {
            key: 'state',
            options: (['OPEN', 'SETTLED'] as const).map((value) => ({
              value,
              label: t(`enums.conflictState.${value}`),
            })),
          },
          'kind',
          ...(may('user:lookup') ? [{ key: 'userId', picker: PersonSelect, more: true }] : []),
        ]}
        columns={[
          col('rtuNumber', numberAndName),
          col('roadIndex'),
          col('productName'),
          col('kind', { render: (_, row) => t(`enums.kind.${row.kind}`) }),
          col('error', {
            title: t('sync.what'),
            width: 260,
            fit: (_, row) => said(row),
            render: (_, row) => (narrow ? said(row) : <Cut title={said(row)}>{said(row)}</Cut>),
          }),
          col('systemQty', { title: t('sync.system') }),
          col('userName'),
          col('createTime'),
          col('choice', {
            defaultHidden: true,
            render: (_, row) => (row.choice ? t(`enums.choice.${row.choice}`) : '—'),
          }),
          col('settledBy', { defaultHidden: true }),
          col('settledAt', { defaultHidden: true }),
          col('defaultAt', { defaultHidden: true }),
          col('reason', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'settle',
            label: t('sync.act'),
            can: row.choices.length > 0 && may('replenish:update'),
            onClick: () => setChosen(row),
          },
        ]}
        empty={{ title: t('sync.none') }}
        card={['roadIndex', 'productName', 'kind', 'error', 'systemQty', 'userName']}
      />
      {chosen ? (
        <FormDialog
          ns="replenishment"
          title={t(`enums.kind.${chosen.kind}`)}
          save={replenishment.resolveConflict}
          initial={{ id: chosen.id }}
          okText={t('sync.settle')}
          onClose={close}
          onSaved={close}
        >
          <Note>{said(chosen)}</Note>
          <SelectField
            name="choice"
            label={t('fields.choice')}
            options={chosen.choices.map((value) => ({ value, label: t(`enums.choice.${value}`) }))}
          />
          <TextAreaField name="reason" label={t('sync.reason')} />
        </FormDialog>
      ) : null}
    </>
  )
}
