import { Flex, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import type { Output } from '../../../shared/contract.ts'
import { common } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Note,
  NumberField,
  SelectField,
  SwitchField,
  TextField,
} from '../../../web/form/fields.tsx'
import { pickFor, type Values } from '../../../web/form/values.ts'
import { Empty } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { menuIcon, menuIconNames } from '../../../web/shell/icons.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { useScreen } from '../../../web/useScreen.ts'
import { type MenuItem, menus } from '../menuContract.ts'

const blank: Values = {
  parentId: null,
  path: '',
  icon: '',
  permission: null,
  hidden: false,
  sort: 99,
}

/** Create (`?parentId=3`) and edit. */
export function MenuForm() {
  const { id } = useParams()
  const screen = useScreen()
  const [search] = useSearchParams()
  const { lang } = usePrefs()
  const tree = useRead(menus.tree, {}, { inline: true })
  const list = tree.data?.list
  const item = list?.find((row) => row.id === Number(id))
  const page = { ns: 'roles', back: '/system/organ-menu', loaded: tree }
  const fields = tree.data ? <Fields tree={tree.data} item={item} /> : null
  if (id && list && !item) return <Empty kind="error" title={say(common.notFound.text, lang)} />
  if (id)
    return (
      <FormPage
        {...page}
        title={screen.title}
        subtitle={item?.name}
        tab={(lang === 'en' ? item?.titleEn : item?.title) ?? ''}
        save={menus.update}
        success="web:success.edited"
        initial={item ? pickFor(menus.update.input, item) : {}}
      >
        {fields}
      </FormPage>
    )
  const parentId = Number(search.get('parentId')) || null
  return (
    <FormPage {...page} title={screen.title} save={menus.create} initial={{ ...blank, parentId }}>
      {fields}
    </FormPage>
  )
}

function Fields({ tree, item }: { tree: Output<typeof menus.tree>; item: MenuItem | undefined }) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const isPage = Boolean(Form.useWatch('permission'))
  const level = (row: MenuItem): number =>
    row.parentId === null
      ? 1
      : 1 +
        level(tree.list.find((other) => other.id === row.parentId) ?? { ...row, parentId: null })
  const parents = tree.list.filter(
    (row) => row.kind === 'GROUP' && row.id !== item?.id && level(row) < 3,
  )
  const paths = [...(item?.kind === 'PAGE' ? [item.path] : []), ...tree.freePaths]
  const kept = item !== undefined && !item.can.stop && item.status === 'ENABLED' && item.can.update
  return (
    <>
      <Section title={t('menu.basic')} purpose={t('menu.basicHint')}>
        {kept ? <Note>{t('menu.kept')}</Note> : null}
        <SelectField
          name="parentId"
          required={false}
          placeholder={t('menu.top')}
          options={parents.map((row) => ({
            value: row.id,
            label: lang === 'en' ? row.titleEn : row.title,
          }))}
        />
        <TextField name="name" label={t('fields.menuName')} disabled={kept} />
        <TextField name="title" count />
        <TextField name="titleEn" />
        <NumberField name="sort" min={0} max={9999} />
        <Field name="icon" required={false}>
          <Select
            allowClear
            placeholder={t('web:form.choose')}
            options={menuIconNames.map((value) => ({
              value,
              label: (
                <Flex gap={8}>
                  {menuIcon(value)} {value}
                </Flex>
              ),
            }))}
          />
        </Field>
      </Section>
      <Section title={t('menu.access')} purpose={t('menu.accessHint')}>
        <SelectField
          name="permission"
          required={false}
          disabled={kept}
          options={tree.permissions.map((entry) => ({
            value: entry.permission,
            label: `${lang === 'en' ? entry.en : entry.zh} ${entry.permission}`,
          }))}
        />
        <SelectField
          name="path"
          required={isPage}
          disabled={kept || !isPage}
          {...(isPage ? {} : { hint: t('menu.groupPath') })}
          options={paths.map((value) => ({ value, label: value }))}
        />
        <SwitchField name="hidden" disabled={kept} />
      </Section>
    </>
  )
}
