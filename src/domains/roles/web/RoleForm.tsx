import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Note,
  NumberField,
  RadioField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { pickFor, type Values } from '../../../web/form/values.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { useScreen } from '../../../web/useScreen.ts'
import { type RoleDetail, roles } from '../contract.ts'
import { roleName } from '../rules.ts'
import { MenuPicker } from './MenuPicker.tsx'
import { PermissionPicker } from './PermissionPicker.tsx'
import { useCatalogue } from './useCatalogue.ts'

const blank: Values = {
  dataScope: 'ORG_TREE',
  rank: 40,
  permissions: [],
  menus: [],
  nameEn: '',
  description: '',
}
const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as string[]) : []
const missing = (from: readonly string[], of: readonly string[]) => {
  const held = new Set(from)
  return of.filter((entry) => !held.has(entry)).length
}

/** Create, edit, and look at roles one may not change. */
export function RoleForm() {
  const { t } = useTranslation(['roles', 'web'])
  const { id } = useParams()
  const confirm = useConfirm()
  const { lang } = usePrefs()
  const screen = useScreen()
  const loaded = useRead(roles.get, { id: Number(id) }, { inline: true, enabled: id !== undefined })
  const role = loaded.data
  /** What the change does, before it is done. */
  const before = (values: Values) => {
    const [codes, pages] = [listOf(values.permissions), listOf(values.menus)]
    const [hadCodes, hadPages] = [role?.permissions ?? [], role?.menus ?? []]
    return confirm({
      title: t('form.confirmTitle'),
      content: (
        <>
          <p>
            {t('form.confirm', {
              a: missing(hadCodes, codes),
              b: missing(codes, hadCodes),
              n: role?.userCount ?? 0,
            })}
          </p>
          <p>
            {t('form.confirmMenus', { a: missing(hadPages, pages), b: missing(pages, hadPages) })}
          </p>
        </>
      ),
    })
  }
  const page = { ns: 'roles', back: '/system/organ-role', before }
  if (id)
    return (
      <FormPage
        {...page}
        loaded={loaded}
        readOnly={role !== undefined && !role.can.update}
        title={role && !role.can.update ? t('viewTitle') : screen.title}
        subtitle={role?.identifier}
        tab={role ? roleName(role, lang) : ''}
        save={roles.update}
        success="web:success.edited"
        initial={role ? pickFor(roles.update.input, role) : {}}
      >
        <Fields held={role} />
      </FormPage>
    )
  return (
    <FormPage {...page} title={screen.title} save={roles.create} initial={blank}>
      <Fields held={undefined} />
    </FormPage>
  )
}

function Fields({ held: role }: { held: RoleDetail | undefined }) {
  const { t } = useTranslation(['roles', 'web'])
  const catalogue = useCatalogue()
  const permissions = listOf(Form.useWatch('permissions'))
  const readOnly = role !== undefined && !role.can.update
  const fixed = readOnly || role?.builtin === true
  const scopes = role?.scopes ?? catalogue.data?.can.scopes ?? []
  const note =
    role?.identifier === 'ROLE_SUPER_ADMIN'
      ? 'superNote'
      : readOnly
        ? 'readonlyNote'
        : role?.builtin
          ? 'builtinNote'
          : null
  return (
    <>
      <Section title={t('form.basic')} purpose={t('form.basicHint')}>
        {note ? <Note>{t(`form.${note}`)}</Note> : null}
        <TextField
          name="name"
          count
          disabled={fixed}
          {...(role ? {} : { hint: t('form.identifier') })}
        />
        <TextField name="nameEn" disabled={fixed} />
        <RadioField
          name="dataScope"
          disabled={fixed}
          options={scopes.map((value) => ({ value, label: t(`enums.dataScope.${value}`) }))}
        />
        <NumberField
          name="rank"
          min={1}
          max={role?.builtin ? 100 : (catalogue.data?.can.rank ?? 99)}
          disabled={fixed}
          hint={t('form.rankHint')}
        />
        <TextAreaField name="description" rows={2} disabled={readOnly} />
      </Section>
      <Section title={t('form.permissions')} purpose={t('form.permissionsHint')}>
        <Field name="permissions" wide>
          <PermissionPicker catalogue={catalogue} disabled={readOnly} />
        </Field>
      </Section>
      <Section title={t('form.menus')} purpose={t('form.menusHint')}>
        <Field name="menus" wide required={false}>
          <MenuPicker catalogue={catalogue} permissions={permissions} disabled={readOnly} />
        </Field>
      </Section>
    </>
  )
}
