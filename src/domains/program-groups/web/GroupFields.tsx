import { useTranslation } from 'react-i18next'
import { Field, Fixed, NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { GroupDetail, GroupRow } from '../contract.ts'
import { Items } from './Items.tsx'
import { Windows } from './Windows.tsx'

/** The organisation is chosen once. */
export function GroupFields({ row }: { row: GroupRow | undefined }) {
  const { t } = useTranslation('programGroups')
  return (
    <>
      <TextField name="name" count />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <SelectField name="slotKind" />
      <SelectField name="transition" required />
      <NumberField name="maxPlaysPerHour" min={1} max={3600} unit={t('noTimes')} />
      <Field name="windows" wide plain hint={t('midnight')}>
        <Windows />
      </Field>
      <Field name="items" wide plain>
        <Items known={row && 'shows' in row ? (row as GroupDetail).shows : []} />
      </Field>
    </>
  )
}
