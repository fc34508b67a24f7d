import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, RadioField, TextField } from '../../../web/form/fields.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { invoices } from '../contract.ts'

type Typed = { id?: string; value?: readonly string[]; onChange?: (numbers: string[]) => void }
/** One a line, as they are copied from a list. */
const OrderNumbers = ({ id, value = [], onChange }: Typed) => (
  <Input.TextArea
    {...(id ? { id } : {})}
    rows={4}
    value={value.join('\n')}
    onChange={(event) => onChange?.(event.target.value.split(/[\s,，]/))}
    onBlur={() => onChange?.(value.filter(Boolean))}
  />
)

export function AskDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={t('create')}
      save={invoices.create}
      initial={{ kind: 'NORMAL', taxRateBp: 1300 }}
      width={640}
      toInput={(values) => ({
        ...values,
        orderNums: ((values.orderNums as string[] | undefined) ?? []).filter(Boolean),
      })}
      onClose={onClose}
    >
      <Field name="titleId" wide>
        <OptionSelect
          from={invoices.titles}
          input={{ pageSize: 200 }}
          text={(row) => `${row.title} ${row.taxNo}`}
        />
      </Field>
      <RadioField name="kind" />
      <Field name="orderNums" hint={t('ordersHint')} wide>
        <OrderNumbers />
      </Field>
      <TextField name="email" />
    </FormDialog>
  )
}
