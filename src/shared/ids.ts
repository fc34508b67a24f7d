/** Machine numbers and order numbers. */

/**
 * The `count` numbers from `first` on: the numeric tail grows by one and keeps its width
 * (specification, section 9). null when the tail has no room, e.g. HD9999 + 1.
 */
export function sequentialNumbers(first: string, count: number): string[] | null {
  const found = /^(.*?)(\d+)$/.exec(first)
  if (!found) return null
  const [, prefix = '', tail = ''] = found
  // twenty digits are more than a number holds exactly
  const start = BigInt(tail)
  if (String(start + BigInt(count - 1)).length > tail.length) return null
  return Array.from(
    { length: count },
    (_, i) => prefix + String(start + BigInt(i)).padStart(tail.length, '0'),
  )
}

/** 20 digits: Shanghai day and 12 digits; the day prunes partitions when an order is looked up. */
export const orderNumber = (day: string, tail: number): string =>
  day.replaceAll('-', '') + String(tail).padStart(12, '0')
export const dayOfOrderNumber = (orderNum: string): string =>
  `${orderNum.slice(0, 4)}-${orderNum.slice(4, 6)}-${orderNum.slice(6, 8)}`
