import { Button, Form } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, RadioField, TextField } from '../../../web/form/fields.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { invoices, type TitleRow } from '../contract.ts'
import type { Source } from '../rules.ts'
import { OfferSelect } from './OfferSelect.tsx'

/** For whom, of what: what is left of it is invoiced. */
export function AskDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const navigate = useNavigate()
  const [title, setTitle] = useState<TitleRow>()
  return (
    <FormDialog
      ns="invoices"
      title={t('create')}
      save={invoices.create}
      initial={{ kind: 'NORMAL', source: 'ORDERS' }}
      width={640}
      okText={t('create')}
      success="web:success.done"
      onClose={onClose}
    >
      <Field
        name="titleId"
        wide
        hint={
          <Button
            type="link"
            size="small"
            style={{ padding: 0 }}
            onClick={() => navigate('/finance/invoice-enterprise/titles')}
          >
            {t('newTitle')}
          </Button>
        }
      >
        <OptionSelect
          from={invoices.titles}
          input={{ pageSize: 50 }}
          text={(row) => `${row.title} ${row.taxNo}`}
          onPick={setTitle}
        />
      </Field>
      <RadioField name="kind" wide={false} />
      <RadioField name="source" wide={false} />
      <Chosen orgId={title?.orgId} />
      <TextField name="email" placeholder={title?.email ?? ''} wide />
    </FormDialog>
  )
}

/** Another source, or another organisation, is another list: what was chosen of the last one goes. */
function Chosen({ orgId }: { orgId: number | undefined }) {
  const { t } = useTranslation('invoices')
  const form = Form.useFormInstance()
  const source = (Form.useWatch('source') as Source | undefined) ?? 'ORDERS'
  const list = `${source} ${orgId}`
  const last = useRef(list)
  useEffect(() => {
    if (last.current !== list) form.setFieldValue('sourceNos', [])
    last.current = list
  }, [form, list])
  return (
    <Field name="sourceNos" hint={t(source === 'ORDERS' ? 'orderHint' : 'feeHint')} wide>
      <OfferSelect source={source} orgId={orgId} />
    </Field>
  )
}
