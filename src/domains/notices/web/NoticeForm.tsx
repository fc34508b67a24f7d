import { Button, Checkbox, Form, Radio } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormSheet, FormWait, Section, useLeave } from '../../../web/FormPage.tsx'
import { Field, ImageField, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { useFormEngine } from '../../../web/form/useForm.ts'
import { pickFor, type Values } from '../../../web/form/values.ts'
import { InstantInput } from '../../../web/InstantInput.tsx'
import { useActiveTab, useTabTitle } from '../../../web/shell/tabs.ts'
import { fullTime } from '../../../web/time.ts'
import { useScreen } from '../../../web/useScreen.ts'
import { channelNames, type Notice, notices } from '../contract.ts'
import { Preview } from './Preview.tsx'
import { RichTextField } from './pickers.tsx'
import { OrganisationsSelect, PeopleSelect, RolesSelect } from './targetPickers.tsx'
import { useAudience } from './useAudience.ts'

const list = '/log/issue-notice'
const editPath = (id: number) => `${list}/IssueAnnouncement/${id}`
const blank: Values = {
  toAll: true,
  withSubtree: true,
  orgIds: [],
  roleIds: [],
  userIds: [],
  images: [],
  channels: ['MESSAGE'],
  publishAt: null,
  expireAt: null,
}

/** Write, copy (`?from=12`) and edit. Saving makes a draft, publishing saves and publishes. */
export function NoticeForm() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const from = id ?? search.get('from') ?? undefined
  const loaded = useRead(
    notices.get,
    { id: Number(from) },
    { inline: true, enabled: from !== undefined },
  )
  const { title } = useScreen()
  if (from === undefined || loaded.data)
    return <Loaded notice={loaded.data} editing={id !== undefined} title={title} />
  return <FormWait title={title} loaded={loaded} />
}

type Props = { notice: Notice | undefined; editing: boolean; title: string }

function Loaded({ notice, editing, title }: Props) {
  const { t } = useTranslation(['notices', 'web'])
  const confirm = useConfirm()
  const leave = useLeave()
  const active = useActiveTab()
  const publishing = useRef(false)
  const [preview, setPreview] = useState(false)
  useTabTitle(editing ? (notice?.title ?? '') : '')
  const publish = useWrite(notices.publish, { success: 'web:success.done' })
  const save = editing ? notices.update : notices.create
  const engine = useFormEngine({
    ns: 'notices',
    save,
    // a copy starts without the times of its model
    initial: notice
      ? pickFor(save.input, editing ? notice : { ...notice, publishAt: null, expireAt: null })
      : blank,
    onSaved: (answer) => void saved(answer),
  })
  const { form, busy } = engine
  const reach = useAudience(form, editing ? notice?.orgId : undefined)

  async function saved(draft: Notice) {
    if (!publishing.current) return leave(list)
    const n = reach ?? 0
    const ask = draft.publishAt
      ? t('scheduleAsk', { n, time: fullTime(new Date(draft.publishAt)) })
      : t('publishAsk', { n })
    if (!(await confirm({ title: ask, ok: t('form.publish') }))) return leave(editPath(draft.id))
    publish.mutate(
      { id: draft.id, version: draft.version },
      { onSuccess: () => leave(list), onError: () => leave(editPath(draft.id)) },
    )
  }
  const submit = (andPublish: boolean) => {
    publishing.current = andPublish
    engine.submit()
  }
  return (
    <FormSheet
      title={title}
      subtitle={editing ? notice?.title : undefined}
      engine={engine}
      back={list}
      onSave={() => submit(false)}
      buttons={
        <>
          <Button
            type="primary"
            loading={publish.isPending || (busy && publishing.current)}
            onClick={() => submit(true)}
          >
            {t('form.publish')}
          </Button>
          <Button loading={busy && !publishing.current} onClick={() => submit(false)}>
            {t('form.draft')}
          </Button>
          <Button onClick={() => setPreview(true)}>{t('form.preview')}</Button>
        </>
      }
    >
      <Section title={t('form.text')} purpose={t('form.textHint')}>
        <TextField name="title" count wide />
        <RichTextField name="content" />
        <ImageField name="images" max={5} />
      </Section>
      <Section title={t('form.range')} purpose={t('form.rangeHint')}>
        <Field
          name="toAll"
          required
          wide
          plain
          hint={reach === undefined ? null : t('form.reach', { n: reach })}
        >
          <Radio.Group
            options={[
              { value: true, label: t('target.all') },
              { value: false, label: t('form.chosen') },
            ]}
          />
        </Field>
        <Targets known={notice?.users ?? []} />
      </Section>
      <Section title={t('form.time')} purpose={t('form.timeHint')}>
        <Field name="publishAt">
          <InstantInput />
        </Field>
        <Field name="expireAt">
          <InstantInput />
        </Field>
        <Field name="channels" hint={t('form.popupHint')}>
          <Checkbox.Group
            options={channelNames.map((value) => ({
              value,
              label: t(`enums.channels.${value}`),
              disabled: value === 'MESSAGE',
            }))}
          />
        </Field>
        <span />
        <SwitchField name="pinned" />
        <SwitchField name="mustConfirm" />
      </Section>
      {preview && active ? (
        <Preview values={form.getFieldsValue(true) as Values} onClose={() => setPreview(false)} />
      ) : null}
    </FormSheet>
  )
}

function Targets({ known }: { known: readonly { id: number; name: string }[] }) {
  const { t } = useTranslation('notices')
  if (Form.useWatch('toAll') !== false) return null
  return (
    <>
      <Field name="orgIds">
        <OrganisationsSelect />
      </Field>
      <SwitchField name="withSubtree" label={t('form.subtree')} />
      <Field name="roleIds">
        <RolesSelect />
      </Field>
      <Field name="userIds">
        <PeopleSelect known={known} />
      </Field>
    </>
  )
}
