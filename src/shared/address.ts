/** Addresses that one holder usually has together: a /24 of IPv4, a /48 of IPv6. */
export const neighbourhoodOf = (ip: string): string => {
  const address = addressOf(ip)
  return address.includes(':')
    ? `${address.split(':').slice(0, 3).join(':')}::/48`
    : `${address.split('.').slice(0, 3).join('.')}.0/24`
}

/**
 * Whose address it is for counting: an IPv4 address, or the /64 that one subscriber of IPv6 holds.
 */
export function addressOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped || !ip.includes(':')) return mapped ?? ip
  const [head = '', tail] = (ip.split('%')[0] ?? '').toLowerCase().split('::')
  const before = head.split(':').filter(Boolean)
  const after = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/**
 * What one holder has for orders, who need no account: an IPv4 address, or a /56 of IPv6, as lines
 * are given (256 times /64).
 */
export function holderOf(ip: string): string {
  const [address] = addressOf(ip).split('::/')
  if (!address?.includes(':')) return address ?? ip
  const groups = address.split(':')
  return `${[...groups.slice(0, 3), (Number.parseInt(groups[3] ?? '0', 16) & 0xff00).toString(16)].join(':')}::/56`
}
