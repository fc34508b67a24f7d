/**
 * How far the clock of this device is from the server's, by the answers it gave; known without the
 * network, too.
 */
const key = 'clock'
let offset = Number(localStorage.getItem(key) ?? 0) || 0
/** An answer says its second only. */
const exact = 2_000

export function noteClock(date: string | null, sent: number, came: number): void {
  const said = Date.parse(date ?? '')
  // an answer that took long says little
  if (Number.isNaN(said) || came - sent > 20_000) return
  const found = Math.round(said + 500 - (sent + came) / 2)
  if (Math.abs(found - offset) <= exact) return
  offset = Math.abs(found) > exact ? found : 0
  localStorage.setItem(key, String(offset))
}

/** What to add to `Date.now()`, in milliseconds; 0 as long as both agree. */
export const clockOffset = (): number => offset
