import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { defaultsOf } from '../../../web/list/listUrl.ts'
import { useUser } from '../../../web/session.ts'
import { referrers } from '../contract.ts'
import { ReferrerFields } from './ReferrerFields.tsx'

/** `/create`, and with `?id=` the page of one that is edited. */
export function ReferrerPage() {
  const { t } = useTranslation('referrers')
  const [search] = useSearchParams()
  const id = search.get('id')
  const { orgId } = useUser()
  const loaded = useRead(referrers.list, { id: Number(id) }, { inline: true, enabled: id !== null })
  const row = loaded.data?.list[0]
  const save = id ? referrers.update : referrers.create
  return (
    <FormPage
      ns="referrers"
      title={t(`web:record.${id ? 'edit' : 'create'}`, { one: t('one') })}
      back="/finance/busManager"
      {...(id ? { loaded } : {})}
      {...(row ? { subtitle: row.referrerName, tab: row.referrerName } : {})}
      save={save}
      success={`web:success.${id ? 'edited' : 'saved'}`}
      initial={
        row
          ? pickFor(save.input, { ...row, mobile: '', idName: '' })
          : { ...defaultsOf(save.input), orgId }
      }
    >
      <Section title={t('section')}>
        <ReferrerFields row={row} />
      </Section>
    </FormPage>
  )
}
