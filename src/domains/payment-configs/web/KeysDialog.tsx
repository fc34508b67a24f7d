import { useTranslation } from 'react-i18next'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note } from '../../../web/form/fields.tsx'
import { type ConfigRow, paymentConfigs } from '../contract.ts'
import { KeyFields } from './KeyFields.tsx'

/** Other keys; the client asks for the own password when it was not shown lately. */
export function KeysDialog({
  row,
  onClose,
  onSaved,
}: {
  row: ConfigRow
  onClose: () => void
  onSaved: (row: ConfigRow) => void
}) {
  const { t } = useTranslation('paymentConfigs')
  const confirm = useConfirm()
  return (
    <FormDialog
      title={`${t('renew')} · ${row.merchantName}`}
      ns="paymentConfigs"
      save={paymentConfigs.secrets}
      initial={{ id: row.id, version: row.version }}
      width={680}
      success="paymentConfigs:success.keys"
      before={() => confirm({ title: t('renewAsk'), danger: true })}
      onClose={onClose}
      onSaved={onSaved}
    >
      <Note>{t('renewHint')}</Note>
      <KeyFields provider={row.provider} first={false} />
    </FormDialog>
  )
}
