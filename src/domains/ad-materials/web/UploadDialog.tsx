import { Button, Flex, Form, Input, Spin } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, isApiError, messageOf } from '../../../web/call.ts'
import { Day } from '../../../web/list/days.tsx'
import { useUser } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { toast } from '../../../web/toast.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { adMaterials, tags } from '../contract.ts'
import { Thumb } from './pickers.tsx'
import { accept, most, nameOf, uploadMedia } from './upload.ts'

type One = {
  readonly key: number
  readonly name: string
  readonly file: string | null
  readonly kind: 'IMAGE' | 'VIDEO'
  readonly wrong: string
}
type Shared = {
  orgId: number
  tags: (typeof tags)[number][]
  licenceNo: string
  validUntil: string | null
}

/** Several files at once: each is looked at as it comes, and becomes a material by itself. */
export function UploadDialog({ onClose, onSaved }: { onClose: () => void; onSaved: () => void }) {
  const { t } = useTranslation(['adMaterials', 'web'])
  const { orgId } = useUser()
  const active = useActiveTab()
  const chooser = useRef<HTMLInputElement>(null)
  const next = useRef(0)
  const [files, setFiles] = useState<readonly One[]>([])
  const [busy, setBusy] = useState(false)
  const [shared, setShared] = useState<Shared>({
    ...{ orgId, tags: [], licenceNo: '', validUntil: null },
  })
  const change = (key: number, part: Partial<One>) =>
    setFiles((all) => all.map((one) => (one.key === key ? { ...one, ...part } : one)))
  const say = (part: Partial<Shared>) => setShared((all) => ({ ...all, ...part }))

  const take = async (chosen: readonly File[]) => {
    if (files.length + chosen.length > most) toast('error', t('tooMany'))
    for (const file of chosen.slice(0, most - files.length)) {
      next.current += 1
      const key = next.current
      const kind = file.type.startsWith('video/') ? 'VIDEO' : 'IMAGE'
      setFiles((all) => [...all, { key, name: nameOf(file), file: null, kind, wrong: '' }])
      await uploadMedia(file).then(
        (url) => change(key, { file: url }),
        (error) => change(key, { wrong: messageOf(error) }),
      )
    }
  }
  const ready = files.filter((one) => one.file !== null)
  const waiting = files.some((one) => one.file === null && one.wrong === '')
  const save = async () => {
    setBusy(true)
    let done = 0
    for (const one of ready)
      await call(adMaterials.create, { ...shared, file: one.file as string, name: one.name }).then(
        () => {
          done += 1
          setFiles((all) => all.filter(({ key }) => key !== one.key))
        },
        (error) =>
          change(one.key, {
            wrong: (isApiError(error) && error.errors[0]?.message) || messageOf(error),
          }),
      )
    setBusy(false)
    if (done) onSaved()
    if (done === files.length) {
      toast('success', t('success.upload'))
      onClose()
    } else toast('error', t('filesDone', { done, failed: files.length - done }))
  }
  if (!active) return null
  return (
    <Modal
      open
      title={t('upload')}
      width={640}
      okText={t('upload')}
      cancelText={t('web:action.cancel')}
      confirmLoading={busy}
      okButtonProps={{ disabled: ready.length === 0 || waiting }}
      onOk={() => void save()}
      onCancel={onClose}
    >
      <Flex vertical gap={12}>
        <Flex gap={12} align="center" wrap>
          <Button disabled={files.length >= most || busy} onClick={() => chooser.current?.click()}>
            {t('chooseFiles')}
          </Button>
          <Muted>{t('fileHint')}</Muted>
        </Flex>
        <input
          ref={chooser}
          type="file"
          multiple
          style={{ display: 'none' }}
          accept={accept}
          aria-label={t('chooseFiles')}
          onChange={(event) => {
            void take([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
        {files.map((one) => (
          <Flex key={one.key} gap={12} align="center">
            {one.file ? (
              <Thumb file={one.file} kind={one.kind} />
            ) : one.wrong ? null : (
              <Spin size="small" aria-label={t('uploading')} />
            )}
            <Flex vertical flex={1}>
              <Input
                value={one.name}
                maxLength={40}
                aria-label={t('fields.name')}
                onChange={(event) => change(one.key, { name: event.target.value })}
              />
              {one.wrong ? <Bad>{one.wrong}</Bad> : null}
            </Flex>
            <Button
              type="text"
              onClick={() => setFiles((all) => all.filter(({ key }) => key !== one.key))}
            >
              {t('remove')}
            </Button>
          </Flex>
        ))}
        <Form layout="vertical">
          <Form.Item label={t('fields.orgId')}>
            <OwnerSelect value={shared.orgId} onChange={(id) => say({ orgId: Number(id) })} />
          </Form.Item>
          <Form.Item label={t('fields.tags')}>
            <Select
              mode="multiple"
              value={shared.tags}
              aria-label={t('fields.tags')}
              options={tags.map((value) => ({ value, label: t(`enums.tags.${value}`) }))}
              onChange={(next: Shared['tags']) => say({ tags: next })}
            />
          </Form.Item>
          <Form.Item label={t('fields.licenceNo')}>
            <Input
              value={shared.licenceNo}
              maxLength={40}
              onChange={(event) => say({ licenceNo: event.target.value })}
            />
          </Form.Item>
          <Form.Item label={t('fields.validUntil')}>
            <Day
              value={shared.validUntil}
              placeholder=""
              style={{ width: '100%' }}
              onChange={(day) => say({ validUntil: day })}
            />
          </Form.Item>
        </Form>
      </Flex>
    </Modal>
  )
}
