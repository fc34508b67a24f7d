import { Form } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Field, Fixed, ImageField, NumberField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { RegionSelect } from '../../devices/web/pickers.tsx'
import { type OrganisationDetail, organisations } from '../contract.ts'
import { AssignableRoles, OrganisationSelect } from './pickers.tsx'

const back = '/organ/organ-manage'

/** Create (`?parentId=3`) and edit; kind, parent and username stay as they were made. */
export function OrganisationForm() {
  const { t } = useTranslation(['organisations', 'web'])
  const { id } = useParams()
  const [search] = useSearchParams()
  const loaded = useRead(organisations.get, { id: Number(id) }, { inline: true, enabled: id !== undefined })
  const data = loaded.data
  if (id === undefined) {
    const parentId = Number(search.get('parentId')) || undefined
    return (
      <FormPage
        title={t('create')}
        ns="organisations"
        back={back}
        save={organisations.create}
        success="organisations:success.create"
        initial={{ ...(parentId ? { parentId } : {}), roleIds: [], licences: [], creditCode: '', avatar: '' }}
      >
        <Section title={t('form.place')} purpose={t('form.placeHint')}>
          <Place />
        </Section>
        <Section title={t('form.account')} purpose={t('form.accountHint')}>
          <TextField name="username" />
          <TextField name="realName" />
          <TextField name="password" password autoComplete="new-password" />
          <TextField name="repeat" password autoComplete="new-password" required />
          <Principal />
        </Section>
        <Contact />
      </FormPage>
    )
  }
  return (
    <FormPage
      title={t('form.editTitle')}
      subtitle={data ? `${data.orgCode} ${data.name}` : ''}
      tab={data?.name ?? ''}
      ns="organisations"
      back={back}
      loaded={loaded}
      save={organisations.update}
      success="organisations:success.update"
      initial={data ? startOf(data) : {}}
    >
      <Section title={t('form.place')} purpose={t('form.placeHint')}>
        <Fixed label={t('fields.parentId')}>{data?.operatorName || <span className="hd-none">—</span>}</Fixed>
        <Fixed label={t('fields.kind')}>{data ? t(`enums.kind.${data.kind}`) : ''}</Fixed>
        <TextField name="name" count />
      </Section>
      <Section title={t('form.account')} purpose={t('form.accountHint')}>
        <Fixed label={t('fields.username')}>{data?.username || t('form.noPrincipal')}</Fixed>
        <TextField name="realName" />
        {data?.principalId ? <Principal held={data.roles} orgId={data.id} pictured={data.avatar !== ''} /> : null}
      </Section>
      <Contact />
    </FormPage>
  )
}

/** Without a principal there are no roles to send. */
function startOf(data: OrganisationDetail) {
  const { roleIds, ...rest } = pickFor(organisations.update.input, data)
  return data.principalId ? { ...rest, roleIds } : rest
}

/** The kinds follow from the parent and from what the actor may create. */
function Place() {
  const { t } = useTranslation('organisations')
  const form = Form.useFormInstance()
  const parentId = Form.useWatch('parentId') as number | undefined
  const kind = Form.useWatch('kind') as string | undefined
  const { data } = useRead(organisations.creatable, parentId ? { parentId } : {}, { enabled: parentId !== undefined, inline: true })
  const kinds = parentId ? data?.kinds : undefined
  useEffect(() => {
    if (kind && kinds && !kinds.some((found) => found === kind)) form.setFieldValue('kind', undefined)
  }, [form, kind, kinds])
  return (
    <>
      <Field name="parentId">
        <OrganisationSelect />
      </Field>
      <SelectField
        name="kind"
        disabled={!kinds?.length}
        options={(kinds ?? []).map((value) => ({ value, label: t(`enums.kind.${value}`) }))}
        {...(kinds?.length === 0 ? { hint: t('form.noKinds') } : {})}
      />
      <TextField name="name" count />
    </>
  )
}

/** Who came without a picture, by an import, may stay so. */
function Principal({ held = [], orgId, pictured = true }: { held?: OrganisationDetail['roles']; orgId?: number; pictured?: boolean }) {
  const parentId = Form.useWatch('parentId') as number | undefined
  return (
    <>
      <Field name="roleIds" wide required>
        <AssignableRoles held={held} orgId={orgId ?? parentId} />
      </Field>
      <ImageField name="avatar" required={pictured} />
    </>
  )
}

function Contact() {
  const { t } = useTranslation('organisations')
  return (
    <>
      <Section title={t('form.contact')} purpose={t('form.contactHint')}>
        <TextField name="phone" />
        <TextField name="consumerPhone" />
        <Field name="regionCode">
          <RegionSelect any />
        </Field>
        <TextField name="address" />
        <NumberField name="lng" precision={6} />
        <NumberField name="lat" precision={6} />
      </Section>
      <Section title={t('form.papers')} purpose={t('form.papersHint')}>
        <TextField name="creditCode" />
        <ImageField name="licences" max={5} />
      </Section>
    </>
  )
}
