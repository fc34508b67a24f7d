import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { say } from '../../../shared/text.ts'
import { usePrefs } from '../../../web/prefs.ts'
import type { Channels, Form, Window } from '../kinds.ts'
import { type SettingKey, settingOfKey } from '../registry.ts'

/** How settings and their values are said: names from the registry, values by their kind. */
export function useWords() {
  const { t } = useTranslation('settings')
  const { lang } = usePrefs()
  const text = (packed: string) => say(packed, lang)
  return {
    lang,
    text,
    nameOf: (key: SettingKey) => text(settingOfKey(key).name),
    valueOf(form: Form, value: unknown): string {
      if (value === null || value === undefined) return t('unset')
      switch (form.kind) {
        case 'bool':
          return value === true ? t('on') : t('off')
        case 'choice':
          return text(form.options.find((option) => option.value === value)?.text ?? String(value))
        case 'window':
          return t('window', { ...(value as Window) })
        case 'channels':
          return channelText(value as Channels, (key) => t(`channel.${key}`))
        case 'int':
          if (value === 0 && form.zero) return text(form.zero)
          if (form.unit === 'fen') return yuan(value as number)
          return `${String(value)} ${t(`unit.${form.unit}`)}`.trim()
        default:
          return String(value)
      }
    },
    rangeOf(form: Form): string | null {
      if (form.kind !== 'int') return null
      const shown = (n: number) => (form.unit === 'fen' ? yuan(n) : n)
      const range = t('range', {
        min: shown(form.min),
        max: shown(form.max),
        unit: form.unit === 'fen' ? '' : t(`unit.${form.unit}`),
      }).trim()
      return form.zero ? `${range} ${t('orZero', { meaning: text(form.zero) })}` : range
    },
  }
}

const channelText = (channels: Channels, word: (key: string) => string): string =>
  Object.entries(channels)
    .filter(([, on]) => on !== false && on !== '')
    .map(([key]) => word(key))
    .join('、')
