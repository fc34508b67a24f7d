import { Button, Flex } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { call, messageOf } from '../../../web/call.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, SelectField, TextAreaField, TextField } from '../../../web/form/fields.tsx'
import { toast } from '../../../web/toast.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { type InvoiceRow, invoices } from '../contract.ts'
import { fileLimit, invoiceErrors, taxRates } from '../rules.ts'

type Props = { readonly row: InvoiceRow; readonly onClose: () => void }
const start = ({ id, version }: InvoiceRow) => ({ id, version })
const success = 'web:success.done'

export function RejectDialog({ row, onClose }: Props) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={`${t('reject')} · ${row.title}`}
      save={invoices.reject}
      initial={start(row)}
      okText={t('reject')}
      danger
      {...{ success, onClose }}
    >
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function IssueDialog({ row, onClose }: Props) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={`${t('issue')} · ${row.title}`}
      save={invoices.issue}
      initial={{ ...start(row), taxRateBp: row.taxRateBp }}
      okText={t('issue')}
      {...{ success, onClose }}
    >
      <Note>{t('issueHint')}</Note>
      <TextField name="issuedNo" wide />
      <SelectField
        name="taxRateBp"
        required
        wide
        options={taxRates.map((value) => ({ value, label: `${value / 100}%` }))}
      />
      <Field name="file" wide plain>
        <FileInput />
      </Field>
    </FormDialog>
  )
}

export function SendDialog({ row, onClose }: Props) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={`${t('send')} · ${row.title}`}
      save={invoices.send}
      initial={{ ...start(row), email: row.email }}
      okText={t('send')}
      {...{ success, onClose }}
    >
      <Note>{t('sendHint')}</Note>
      <TextField name="email" required wide />
    </FormDialog>
  )
}

export function RedDialog({ row, onClose }: Props) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={`${t('red')} · ${row.title}`}
      save={invoices.red}
      initial={start(row)}
      okText={t('red')}
      danger
      {...{ success, onClose }}
    >
      <Note type="warning">{t('redHint')}</Note>
      <TextField name="redNo" wide />
    </FormDialog>
  )
}

type FileProps = {
  readonly id?: string
  readonly value?: string
  readonly onChange?: (file: string) => void
}
/** The file goes first, the form names it. */
function FileInput({ id, value, onChange }: FileProps) {
  const { t, i18n } = useTranslation('invoices')
  const field = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [name, setName] = useState('')
  const take = async (file: File | undefined) => {
    if (!file) return
    if (file.size > fileLimit)
      return toast('error', say(invoiceErrors.fileTooLarge.text, i18n.language as 'zh-CN' | 'en'))
    setBusy(true)
    try {
      onChange?.((await call(invoices.upload, {}, { file })).file)
      setName(file.name)
    } catch (error) {
      toast('error', messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Flex gap={12} align="center" wrap>
      <Button {...(id ? { id } : {})} loading={busy} onClick={() => field.current?.click()}>
        {t('choose')}
      </Button>
      <Muted>{value ? t('uploaded', { name }) : t('fileHint')}</Muted>
      <input
        ref={field}
        style={{ display: 'none' }}
        type="file"
        accept=".pdf,.ofd,application/pdf"
        aria-label={t('fields.file')}
        onChange={(event) => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </Flex>
  )
}
