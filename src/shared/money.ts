/** Money is integer fen everywhere; yuan exists only in what a person reads or types. */

/** `¥1,234.50`; minus is U+2212 as the look asks. */
export function yuan(fen: number): string {
  const whole = Math.floor(Math.abs(fen) / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',')
  const cents = (Math.abs(fen) % 100).toString().padStart(2, '0')
  return `${fen < 0 ? '\u2212' : ''}¥${whole}.${cents}`
}

/** As one types it: `1234.50`. */
export const plainYuan = (fen: number): string =>
  `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, '0')}`

/**
 * What a person typed, to fen; null when it is not an amount. Accepts full-width digits, at most
 * two decimals.
 */
export function parseYuan(typed: string): number | null {
  const plain = typed
    .replace(/[\uff10-\uff19\uff0e]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0))
    .trim()
  const found = /^[¥￥]?(\d{1,10})(?:\.(\d{1,2}))?$/.exec(plain)
  if (!found) return null
  return Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'))
}

/**
 * Shares `total` fen over `weights` so that the sum is exact: floors first, missing fen to the
 * largest remainders, ties in order. All weights zero shares nothing unless total is zero.
 */
export function largestRemainder(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0)
  if (sum === 0) return weights.map(() => 0)
  const parts = weights.map((weight, index) => {
    const exact = BigInt(total) * BigInt(weight)
    return { index, floor: Number(exact / BigInt(sum)), rest: exact % BigInt(sum) }
  })
  let missing = total - parts.reduce((a, part) => a + part.floor, 0)
  const shares = parts.map((part) => part.floor)
  for (const part of [...parts].sort((a, b) =>
    a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1,
  )) {
    if (missing === 0) break
    shares[part.index] = (shares[part.index] as number) + 1
    missing -= 1
  }
  return shares
}
