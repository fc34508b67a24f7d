import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Field, Fixed, NumberField, TextField } from '../../../web/form/fields.tsx'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { PlaceOnMap } from '../../geo/web/pickers.tsx'
import { MerchantSelect } from '../../payment-channels/web/pickers.tsx'
import { type StoreRow, stores } from '../contract.ts'

/** The organisation of a store is chosen once. */
export function StoreFields({ row }: { row: StoreRow | undefined }) {
  const { t } = useTranslation('stores')
  const may = useMay()
  return (
    <>
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
      {may('payment-config:update') ? (
        <Field name="paymentConfigId">
          <MerchantSelect active />
        </Field>
      ) : null}
      <Field name="county">
        <RegionSelect />
      </Field>
      <TextField name="address" />
      <NumberField name="lng" precision={6} />
      <NumberField name="lat" precision={6} />
      <PlaceOnMap />
    </>
  )
}

/** People of the organisation that owns the store. */
function Person({ orgId, ...props }: PickProps<number | null> & { orgId: number | undefined }) {
  const chosen = Form.useWatch('orgId') as number | undefined
  const home = orgId ?? chosen
  return (
    <OptionSelect
      {...props}
      from={stores.people}
      input={home ? { orgId: home } : null}
      text={(person) => `${person.name} (${person.userName})`}
    />
  )
}
