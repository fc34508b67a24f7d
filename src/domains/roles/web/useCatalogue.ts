import { useMemo } from 'react'
import { useRead } from '../../../web/api.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { roles } from '../contract.ts'

/** The catalogue with its names in the language of the person. */
export function useCatalogue() {
  const { lang } = usePrefs()
  const read = useRead(roles.catalogue, {}, { staleTime: 60_000, inline: true })
  return useMemo(() => {
    const say = (entry: { zh: string; en: string } | undefined, other: string) =>
      entry ? (lang === 'en' ? entry.en : entry.zh) : other
    const codes = new Map(
      (read.data?.groups ?? []).flatMap((group) =>
        group.resources.flatMap((resource) =>
          resource.permissions.map((code) => [code.permission, code] as const),
        ),
      ),
    )
    const pages = new Map((read.data?.menus ?? []).map((page) => [page.path, page]))
    return {
      data: read.data,
      error: read.error,
      codes,
      nameOf: (code: string) => say(codes.get(code), code),
      pageName: (path: string) => say(pages.get(path), path),
      say: (entry: { zh: string; en: string }) => say(entry, ''),
    }
  }, [read.data, read.error, lang])
}
