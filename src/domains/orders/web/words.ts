import { useTranslation } from 'react-i18next'
import type { ErrorDef } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { usePrefs } from '../../../web/prefs.ts'
import type { Words } from './stations.ts'

/** Texts of this domain; a value that is a key of an enum is translated too. */
export function useWords(): {
  words: (text: Words) => string
  list: (texts: readonly Words[]) => string
  refusal: (error: ErrorDef) => string
} {
  const { t } = useTranslation('orders')
  const { lang } = usePrefs()
  const one = (value: string | number) =>
    typeof value === 'string' && value.startsWith('enums.')
      ? t(value, { defaultValue: value.split('.').at(-1) ?? '' })
      : value
  const words = ({ key, values = {} }: Words) =>
    t(key, {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(value)])),
      defaultValue: key.split('.').at(-1) ?? '',
    })
  return {
    words,
    list: (texts) => texts.map(words).join(t('summary.join')),
    refusal: (error) => say(error.text, lang),
  }
}
