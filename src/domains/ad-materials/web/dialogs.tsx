import { Button, Flex } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { messageOf } from '../../../web/call.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Fixed, Note, RadioField, TextAreaField } from '../../../web/form/fields.tsx'
import { toast } from '../../../web/toast.ts'
import { adMaterials, type MaterialRow } from '../contract.ts'
import { CreativeFields } from './fields.tsx'
import { Thumb, Whole } from './pickers.tsx'
import { accept, uploadMedia } from './upload.ts'

type Props = { readonly row: MaterialRow; readonly onClose: () => void }
const success = 'web:success.done'

/** What is reviewed is seen first. */
export function ReviewDialog({ row, onClose }: Props) {
  const { t } = useTranslation('adMaterials')
  return (
    <FormDialog
      ns="adMaterials"
      title={`${t('review')} · ${row.name}`}
      save={adMaterials.review}
      initial={{ id: row.id, version: row.version, approve: true }}
      okText={t('review')}
      {...{ success, onClose }}
    >
      <Fixed wide label={t('preview')}>
        <Whole file={row.file} kind={row.kind} alt={row.name} />
      </Fixed>
      {row.licenceNo ? <Fixed label={t('fields.licenceNo')}>{row.licenceNo}</Fixed> : null}
      <RadioField
        name="approve"
        options={[
          { value: true, label: t('approve') },
          { value: false, label: t('reject') },
        ]}
      />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function ReplaceDialog({ row, onClose }: Props) {
  const { t } = useTranslation('adMaterials')
  return (
    <FormDialog
      ns="adMaterials"
      title={`${t('replace')} · ${row.name}`}
      save={adMaterials.replace}
      initial={{ id: row.id, version: row.version }}
      okText={t('replace')}
      danger={row.refCount > 0}
      {...{ success, onClose }}
    >
      <Note type="warning">
        {t('replaceAsk', { n: row.refCount })} {t('replaceLater')}
      </Note>
      <Field name="file" wide plain>
        <MediaInput kind={row.kind} />
      </Field>
    </FormDialog>
  )
}

function MediaInput({
  kind,
  value,
  onChange,
}: {
  kind: MaterialRow['kind']
  value?: string
  onChange?: (file: string) => void
}) {
  const { t } = useTranslation('adMaterials')
  const chooser = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const take = async (file: File | undefined) => {
    if (!file) return
    setBusy(true)
    await uploadMedia(file).then(onChange, (error) => toast('error', messageOf(error)))
    setBusy(false)
  }
  return (
    <Flex gap={12} align="center">
      {value ? <Thumb file={value} kind={kind} size={64} /> : null}
      <Button loading={busy} onClick={() => chooser.current?.click()}>
        {t('chooseFiles')}
      </Button>
      <input
        ref={chooser}
        type="file"
        style={{ display: 'none' }}
        accept={accept}
        aria-label={t('chooseFiles')}
        onChange={(event) => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
    </Flex>
  )
}

export function CreativeDialog({ row, onClose }: Props) {
  const { t } = useTranslation('adMaterials')
  return (
    <FormDialog
      ns="adMaterials"
      title={`${t('newCreative')} · ${row.name}`}
      save={adMaterials.createCreative}
      initial={{ materialId: row.id, title: row.name, seconds: 10 }}
      {...{ success, onClose }}
    >
      <CreativeFields row={undefined} />
    </FormDialog>
  )
}
