/** A text in both languages of the product. Every message that can reach a person is one of these. */
export type Lang = 'zh-CN' | 'en'

const separator = '\u001f'

/** Packs a Chinese and an English text into one string, so that it can travel where only a string fits (zod messages). */
export const bi = (zh: string, en: string): string => zh + separator + en

/** The text in `lang`; `{name}` is replaced from `values`. A plain string is the same in both languages. */
export function say(text: string, lang: Lang, values: Record<string, string | number> = {}): string {
  const [zh = '', en = zh] = text.split(separator)
  return (lang === 'en' ? en : zh).replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole))
}

/** Accept-Language or a stored choice to one of ours; Chinese unless English is asked for first. */
export const toLang = (wish: string | undefined): Lang => (/^\s*en\b/i.test(wish ?? '') ? 'en' : 'zh-CN')
