import { useTranslation } from 'react-i18next'
import {
  DayField,
  Field,
  Fixed,
  NumberField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { BoardRow } from '../contract.ts'

/** What is known of a board and the SIM in it; machines are bound by actions of their own. */
export function BoardFields({ row }: { row: BoardRow | undefined }) {
  const { t } = useTranslation('boards')
  return (
    <>
      {row ? (
        <Fixed label={t('fields.boardNo')}>{row.boardNo}</Fixed>
      ) : (
        <TextField name="boardNo" placeholder="BD3F-2200-9001" />
      )}
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.ownedUserName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <TextField name="model" placeholder="HD-M3" />
      <SelectField name="protocol" />
      <TextField name="hwVersion" />
      <TextField name="fwVersion" />
      <TextField name="iccid" />
      <SelectField name="carrier" />
      <TextField name="plan" />
      <NumberField name="planMb" />
      <NumberField name="usedMb" />
      <DayField name="simExpiresOn" />
    </>
  )
}
