/**
 * What may stand in `before` and `after` of a log row. Secrets do not stand there at all, personal
 * numbers only in part: the log is kept for years and cannot be mended. One place, whatever the
 * verbs pass.
 */
const secret =
  /password|passwd|secret|token|hash|private|credential|^(des|api|aes|rsa|saltmd5|app|sign|merchant|mch|pay|cert)_?key|saltmd5|apiv3|^key$|totp|otp$/i
/** Settings with such a word in their name are rules, no secrets: who changed them must be seen. */
const policy = /^(password\.[a-zA-Z]+|alarm\.privateAddresses)$/
const phone = /phone|mobile|^tel$/i
const personal =
  /id_?(card|number|no)$|^idcard|bank_?(account|card|no)|account_?no$|card_?no$|licen[cs]e_?plate/i
const keptIds: ReadonlySet<string> = new Set(['id', 'deviceNo', 'orderNo'])

const longest = 2000
const deepest = 6

/** `138****8000`; what is too short to keep a part is hidden whole. */
export const maskPhone = (text: string): string =>
  text.length < 7 ? '*'.repeat(text.length) : `${text.slice(0, 3)}****${text.slice(-4)}`
const maskNumber = (text: string): string =>
  text.length < 9
    ? '*'.repeat(text.length)
    : `${text.slice(0, 4)}${'*'.repeat(text.length - 8)}${text.slice(-4)}`

export function masked(value: unknown, key = '', depth = 0): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value) || typeof value === 'function') return undefined
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value)
    if (phone.test(key) && text !== '') return maskPhone(text)
    if (personal.test(key) && !keptIds.has(key) && text !== '') return maskNumber(text)
    // where something is sent is often the key to it: the host is enough
    if (/^https?:\/\//i.test(text) && /url$/i.test(key))
      return URL.canParse(text) ? `${new URL(text).origin}/…` : '…'
    return typeof value === 'string' && text.length > longest ? `${text.slice(0, longest)}…` : value
  }
  if (depth >= deepest) return '…'
  if (Array.isArray(value)) return value.slice(0, 500).map((item) => masked(item, key, depth + 1))
  if (typeof value !== 'object') return String(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (secret.test(name) && !policy.test(name) && typeof inner !== 'boolean') return []
      const shown = masked(inner, name, depth + 1)
      return shown === undefined ? [] : [[name, shown]]
    }),
  )
}
