import { useTranslation } from 'react-i18next'
import { usePrefs } from '../../../web/prefs.ts'
import type { CodeAnswer, Explanation } from '../explained.ts'
import { roleName } from '../rules.ts'
import type { Link } from './Chain.tsx'

/** Names of roles by id, and words for scopes. */
export function useWords(data: Pick<Explanation, 'roles' | 'rights'>) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const names = new Map(data.roles.map((role) => [role.id, roleName(role, lang)]))
  const rights = new Map(data.rights.map((right) => [right.permission, right]))
  const say = (entry: { zh: string; en: string } | undefined) =>
    entry ? (lang === 'en' ? entry.en : entry.zh) : ''
  return {
    say,
    rolesOf: (ids: readonly number[]) =>
      ids.map((id) => names.get(id) ?? '').join(lang === 'en' ? ', ' : '、'),
    scopesOf: (scopes: readonly string[]) =>
      scopes.map((scope) => t(`enums.dataScope.${scope}`)).join(' + '),
    right: (code: string | null) => (code ? rights.get(code) : undefined),
    nameOf: (code: string | null) => (code ? say(rights.get(code)) || code : ''),
  }
}

/** The links of a right, up to the first that is missing. */
export function useRightLinks(
  data: Pick<Explanation, 'roles' | 'rights'>,
): (right: CodeAnswer) => Link[] {
  const { t } = useTranslation(['roles', 'web'])
  const words = useWords(data)
  return (right) => {
    const listed = {
      what: t('explain.chain.role'),
      text: words.rolesOf(right.granted ? right.through : right.listedBy),
      ok: right.listedBy.length > 0,
    }
    if (right.granted)
      return [
        listed,
        { what: t('explain.chain.scope'), text: words.scopesOf(right.scopes), ok: true },
      ]
    return [
      ...(listed.ok ? [listed] : []),
      {
        what: t('explain.chain.code'),
        text: t(`explain.right.${right.reason}`, { read: words.nameOf(right.read) }),
        ok: false,
      },
    ]
  }
}
