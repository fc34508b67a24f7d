import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Fixed, NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { Day } from '../../../web/list/DayFields.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../devices/web/pickers.tsx'
import { type BoardRow, boards } from '../contract.ts'

/** What is known of a board and the SIM in it; machines are bound by actions of their own. */
export function BoardDialog({ row, onClose }: { row: BoardRow | undefined; onClose: () => void }) {
  const { t } = useTranslation(['boards', 'web'])
  const user = useUser()
  return (
    <FormDialog
      title={t(row ? 'editTitle' : 'create')}
      ns="boards"
      width={680}
      onClose={onClose}
      success={`boards:success.${row ? 'update' : 'create'}`}
      save={row ? boards.update : boards.create}
      initial={row ? pickFor(boards.update.input, row) : { protocol: 'mqtt', orgId: user.orgId }}
    >
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
      <Field name="simExpiresOn">
        <DayInput />
      </Field>
    </FormDialog>
  )
}

function DayInput({
  value,
  onChange,
}: {
  value?: unknown
  onChange?: (day: string | null) => void
}) {
  return (
    <Day
      value={typeof value === 'string' ? value : null}
      placeholder=""
      style={{ width: '100%' }}
      onChange={(day) => onChange?.(day)}
    />
  )
}
