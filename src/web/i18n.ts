import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Locale } from '../shared/locale.ts'
import { words } from '../shared/words.ts'
import { locale as web } from './locale.ts'
import { onPrefs, prefs } from './prefs.ts'

/**
 * Texts use `{name}` like the texts of the contracts. What a domain does not say itself is said by
 * the platform: shared words of fields.
 */
void i18next.use(initReactI18next).init({
  lng: prefs().lang,
  fallbackLng: 'zh-CN',
  ns: ['web'],
  defaultNS: 'web',
  fallbackNS: 'web',
  resources: {
    'zh-CN': { web: { ...web.zh, ...words.zh } },
    en: { web: { ...web.en, ...words.en } },
  },
  interpolation: { escapeValue: false, prefix: '{', suffix: '}' },
  react: { useSuspense: false },
})

export function registerLocale(namespace: string, locale: Locale): void {
  // a public page brings a part of them: what is there already stays
  i18next.addResourceBundle('zh-CN', namespace, locale.zh, true, true)
  i18next.addResourceBundle('en', namespace, locale.en, true, true)
}

export const hasText = (key: string): boolean => i18next.exists(key)

export const translate = (key: string, values?: Record<string, string | number>): string =>
  i18next.t(key, values ?? {})

onPrefs(() => {
  const { lang } = prefs()
  document.documentElement.lang = lang
  if (i18next.language !== lang) void i18next.changeLanguage(lang)
})
document.documentElement.lang = prefs().lang
