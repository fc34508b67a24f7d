import { Button, Flex, Form } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { call, messageOf } from '../../../web/call.ts'
import {
  Field,
  Note,
  NumberField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { toast } from '../../../web/toast.ts'
import { Select } from '../../../web/ui/select.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type Code, ofKind, type VersionRow } from '../contract.ts'
import { packageLimit, releaseErrors } from '../rules.ts'

type Props = { row: VersionRow | undefined }
export const ApkFields = ({ row }: Props) => <VersionFields code="apk" row={row} />
export const FirmwareFields = ({ row }: Props) => <VersionFields code="firmware" row={row} />

function VersionFields({ code, row }: Props & { code: Code }) {
  const { t } = useTranslation('releases')
  const isApk = code === 'apk'
  const file = Form.useWatch('file') as string | undefined
  const read = isApk && Boolean(file)
  if (row && row.state !== 'DRAFT')
    return (
      <>
        <Note>{t('fileFixedHint')}</Note>
        <TextField name="name" wide count />
        <TextAreaField name="notes" rows={5} />
      </>
    )
  return (
    <>
      <TextField name="name" wide count />
      <Field name="file" wide plain>
        <FileInput code={code} />
      </Field>
      {file ? null : (
        <>
          <Note>{t('linkHint')}</Note>
          <TextField name="link" wide />
          <NumberField name="size" />
          <TextField name="sha256" />
        </>
      )}
      <TextField
        name="target"
        label={t(isApk ? 'fields.package' : 'fields.board')}
        disabled={read}
      />
      <TextField name="versionName" disabled={read} />
      <NumberField name="versionCode" disabled={read} />
      <TextField name="minVersion" />
      {isApk ? (
        <Field name="boards">
          <Models />
        </Field>
      ) : (
        <>
          <TextField name="minApk" />
          <TextField name="driver" />
        </>
      )}
      <SwitchField name="mandatory" />
      <TextAreaField name="notes" rows={4} />
    </>
  )
}

const Models = (props: { id?: string; value?: string[]; onChange?: (all: string[]) => void }) => (
  <Select mode="tags" open={false} suffixIcon={null} style={{ width: '100%' }} {...props} />
)

type FileProps = {
  readonly code: Code
  readonly id?: string
  readonly value?: string
  readonly onChange?: (file: string) => void
}
/** The file goes first; what it says of itself fills the form. */
function FileInput({ code, id, value, onChange }: FileProps) {
  const { t, i18n } = useTranslation('releases')
  const form = Form.useFormInstance()
  const field = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [name, setName] = useState('')
  const take = async (file: File | undefined) => {
    if (!file) return
    if (file.size > packageLimit)
      return toast('error', say(releaseErrors.fileTooLarge.text, i18n.language as 'zh-CN' | 'en'))
    setBusy(true)
    try {
      const read = await call(ofKind[code].upload, {}, { file })
      onChange?.(read.file)
      form.setFieldsValue({ size: read.size, sha256: read.sha256, link: '' })
      if (read.target)
        form.setFieldsValue({
          target: read.target,
          versionName: read.versionName,
          versionCode: read.versionCode,
        })
      setName(read.versionName ? `${file.name} · ${read.target} ${read.versionName}` : file.name)
    } catch (error) {
      toast('error', messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Flex gap={12} align="center" wrap>
      <Button {...(id ? { id } : {})} loading={busy} onClick={() => field.current?.click()}>
        {t(code === 'apk' ? 'chooseApk' : 'chooseFirmware')}
      </Button>
      {value ? <Muted>{t('read', { name: name || value.slice(6) })}</Muted> : null}
      <input
        ref={field}
        style={{ display: 'none' }}
        type="file"
        accept={code === 'apk' ? '.apk' : '.bin,.hex,.zip'}
        aria-label={t('fields.file')}
        onChange={(event) => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </Flex>
  )
}
