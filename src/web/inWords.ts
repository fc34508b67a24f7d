import type { TFunction } from 'i18next'

/** What a channel says in a code of its own, in words where a domain's `why` has them. */
export const inWords = (t: TFunction, said: string): string =>
  /^[A-Z][A-Z_]+$/.test(said)
    ? t(`why.${said}`, { defaultValue: t('why.OTHER', { code: said }) })
    : said
