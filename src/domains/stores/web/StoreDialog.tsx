import { Form, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Fixed, NumberField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect, RegionSelect } from '../../devices/web/pickers.tsx'
import { PlaceOnMap } from '../../geo/web/pickers.tsx'
import { type StoreRow, stores } from '../contract.ts'

export function StoreDialog({ row, onClose }: { row: StoreRow | undefined; onClose: () => void }) {
  const { t } = useTranslation(['stores', 'web'])
  const user = useUser()
  return (
    <FormDialog
      title={t(row ? 'editTitle' : 'create')}
      ns="stores"
      width={640}
      onClose={onClose}
      success={`stores:success.${row ? 'update' : 'create'}`}
      save={row ? stores.update : stores.create}
      initial={row ? pickFor(stores.update.input, row) : { orgId: user.orgId }}
    >
      <TextField name="storeName" count />
      <TextField name="systemId" />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <Field name="userId">
        <Person orgId={row?.orgId} />
      </Field>
      <Field name="county">
        <RegionSelect />
      </Field>
      <TextField name="address" />
      <NumberField name="lng" precision={6} />
      <NumberField name="lat" precision={6} />
      <PlaceOnMap />
    </FormDialog>
  )
}

/** People of the organisation that owns the store. */
function Person({ orgId, id, value, onChange }: { orgId: number | undefined; id?: string; value?: unknown; onChange?: (value: number | null) => void }) {
  const { t } = useTranslation('web')
  const chosen = Form.useWatch('orgId') as number | undefined
  const home = orgId ?? chosen
  const read = useRead(stores.people, { orgId: home ?? 0 }, { enabled: home !== undefined, staleTime: 30_000 })
  return (
    <Select
      {...(id ? { id } : {})}
      value={typeof value === 'number' ? value : null}
      allowClear
      disabled={home === undefined}
      loading={home !== undefined && read.isPending}
      placeholder={t('form.choose')}
      showSearch={{ optionFilterProp: 'label' }}
      options={(read.data?.list ?? []).map((person) => ({ value: person.id, label: `${person.name} (${person.userName})` }))}
      onChange={(next: number | null | undefined) => onChange?.(next ?? null)}
    />
  )
}
