/**
 * A text in both languages of the product. Every message that can reach a person is one of these.
 */
export type Lang = 'zh-CN' | 'en'

const separator = '\u001f'

/**
 * Packs a Chinese and an English text into one string, so that it can travel where only a string
 * fits (zod messages).
 */
export const bi = (zh: string, en: string): string => zh + separator + en

/**
 * The text in `lang`; `{name}` is replaced from `values`, which may be packed themselves. A plain
 * string is the same in both languages.
 */
export function say(
  text: string,
  lang: Lang,
  values: Record<string, string | number> = {},
): string {
  const [zh = '', en = zh] = text.split(separator)
  return (lang === 'en' ? en : zh).replace(/\{(\w+)\}/g, (whole, key: string) =>
    values[key] === undefined ? whole : say(String(values[key]), lang),
  )
}

/** The text with its values in it, in both languages still. */
export const filled = (text: string, values: Record<string, string | number>): string =>
  bi(say(text, 'zh-CN', values), say(text, 'en', values))

/** Accept-Language or a stored choice to one of ours; Chinese unless English is asked for first. */
export const toLang = (wish: string | undefined): Lang =>
  /^\s*en\b/i.test(wish ?? '') ? 'en' : 'zh-CN'

// tabulators and line ends are the only control characters people type; what is no character no
// file of XML may hold
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Noncharacter_Code_Point}]/u
/**
 * Marks that hang on one letter, also those that become one (halfwidth kana); no writing needs more
 * than thirty (UAX 15). Looked for from the first mark alone: from each of thirty, a sheet of them
 * takes seconds.
 */
const heap = /(?<![\p{M}\uff9e\uff9f])[\p{M}\uff9e\uff9f]{31,}/u
/**
 * False for half of a character (a lone surrogate), control characters and heaps of marks, which
 * take normalising minutes.
 */
export const storable = (text: string): boolean =>
  text.isWellFormed() && !control.test(text) && !heap.test(text)
export const notStorable = bi('包含无法保存的字符', 'Contains characters that cannot be stored')
/**
 * For what a machine says, which nobody can ask to type it again: what cannot be stored is left
 * out.
 */
export const madeStorable = (text: string): string =>
  text.toWellFormed().replace(new RegExp(control, 'gu'), '').replace(new RegExp(heap, 'gu'), '')

/**
 * Marks nobody sees: they come along when text is copied, or hide that two names differ. A joiner
 * stays inside an emoji, what chooses its picture behind it or within a keycap, and what chooses a
 * form behind a Mongolian letter.
 */
const unseen =
  /(?<!\p{Emoji})\ufe0f|(?<=[\d#*])\ufe0f(?!\u20e3)|(?<!\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier})\u200d|\u200d(?!\p{Extended_Pictographic})|(?<!\p{Script=Mongolian})[\u180b-\u180d\u180f]|(?!\u200d|\ufe0f|[\u180b-\u180d\u180f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffc]/gu
/** What looks like nothing is nothing. */
const blank = /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u

/** However a line ends. */
const lineEnds = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/**
 * Text as it is stored and compared: composed (NFC), without what nobody sees, and on one line,
 * because names stand in mails and messages where a line of their own would be ours. `lines`: what
 * people write in lines keeps them. What cannot be stored stays as it is.
 */
export function plainText(text: string, { lines = false } = {}): string {
  if (!storable(text)) return text
  const plain = text
    .normalize('NFC')
    .replace(unseen, '')
    .replace(lineEnds, lines ? '\n' : ' ')
  return blank.test(plain) && !/^\s*$/.test(plain) ? '' : plain
}
