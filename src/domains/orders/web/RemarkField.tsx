import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { TextAreaField } from '../../../web/form/fields.tsx'

/** What is said beside the reason of a refund; "something else" has to be said. */
export function RemarkField() {
  const { t } = useTranslation('orders')
  const other = Form.useWatch<string | undefined>('reason') === 'OTHER'
  return <TextAreaField name="remark" label={t('remarkLabel')} rows={2} required={other} />
}
