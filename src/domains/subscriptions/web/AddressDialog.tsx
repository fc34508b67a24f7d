import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Fixed, Note, TextField } from '../../../web/form/fields.tsx'
import { subscriptions } from '../contract.ts'

/** Where mail of reports goes: the own address, once whoever reads it said yes. */
export function AddressDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const { data } = useRead(subscriptions.address, {}, { inline: true })
  if (!data) return null
  return (
    <FormDialog
      ns="subscriptions"
      title={t('addressTitle')}
      save={subscriptions.setAddress}
      initial={{ address: data.address }}
      success="subscriptions:addressSaved"
      width={520}
      onClose={onClose}
    >
      <Note>{t('addressHint')}</Note>
      <TextField name="address" wide />
      {data.address ? (
        <Fixed label={t('addressNow')} wide>
          {data.address} · {t(data.confirmed ? 'confirmed' : 'unconfirmed')}
        </Fixed>
      ) : null}
    </FormDialog>
  )
}
