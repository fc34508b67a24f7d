import { Form } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Fixed,
  ImageField,
  NumberField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import { RecordPage } from '../../../web/RecordPage.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'
import { AssignableRoles } from '../../roles/web/pickers/roleSelect.tsx'
import { type OrganisationDetail, organisations } from '../contract.ts'

/** Create (`?parentId=3`) and edit; kind, parent and username stay as they were made. */
export function OrganisationForm() {
  const { t } = useTranslation('organisations')
  const parentId = Number(useSearchParams()[0].get('parentId')) || undefined
  return (
    <RecordPage
      ns="organisations"
      {...organisations}
      name={({ name, orgCode }) => [name, orgCode]}
      blank={{ roleIds: [], ...(parentId ? { parentId } : {}) }}
      // without a principal there are no roles to send
      shown={({ roleIds, ...rest }) => (rest.principalId ? { ...rest, roleIds } : rest)}
    >
      {(edited) => (
        <>
          <Section title={t('form.place')} purpose={t('form.placeHint')}>
            {edited ? (
              <>
                <Fixed label={t('fields.parentId')}>{edited.operatorName || '—'}</Fixed>
                <Fixed label={t('fields.kind')}>{t(`enums.kind.${edited.kind}`)}</Fixed>
              </>
            ) : (
              <Place />
            )}
            <TextField name="name" count />
          </Section>
          <Section title={t('form.account')} purpose={t('form.accountHint')}>
            {edited ? (
              <Fixed label={t('fields.username')}>{edited.username || t('form.noPrincipal')}</Fixed>
            ) : (
              <TextField name="username" />
            )}
            <TextField name="realName" />
            {edited ? null : (
              <>
                <TextField name="password" password autoComplete="new-password" />
                <TextField name="repeat" password autoComplete="new-password" required />
              </>
            )}
            {edited && !edited.principalId ? null : <Principal edited={edited} />}
          </Section>
          <Contact />
        </>
      )}
    </RecordPage>
  )
}

/** The kinds follow from the parent and from what the actor may create. */
function Place() {
  const { t } = useTranslation('organisations')
  const form = Form.useFormInstance()
  const parentId = (Form.useWatch('parentId') as number | null | undefined) ?? undefined
  const kind = Form.useWatch('kind') as string | undefined
  const asked = parentId ? { parentId } : {}
  const options = { enabled: parentId !== undefined, inline: true }
  const { data } = useRead(organisations.creatable, asked, options)
  const kinds = parentId ? data?.kinds : undefined
  useEffect(() => {
    if (kind && kinds && !kinds.some((found) => found === kind))
      form.setFieldValue('kind', undefined)
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
        hint={kinds?.length === 0 ? t('form.noKinds') : null}
      />
    </>
  )
}

/** Who came without a picture, by an import, may stay so. */
function Principal({ edited }: { edited: OrganisationDetail | undefined }) {
  const parentId = Form.useWatch('parentId') as number | undefined
  return (
    <>
      <Field name="roleIds" wide required>
        <AssignableRoles held={edited?.roles ?? []} orgId={edited?.id ?? parentId} />
      </Field>
      <ImageField name="avatar" required={edited?.avatar !== ''} />
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
