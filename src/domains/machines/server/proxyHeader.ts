import { BlockList, isIP, type Socket } from 'node:net'

/**
 * What a trusted proxy says before the first byte of the client: the PROXY protocol, version 1
 * (text) or 2 (binary).
 */
export type ProxyHeader = {
  readonly length: number /** Null: the proxy speaks for itself. */
  readonly address: string | null
}

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
const longestText = 107
/** What a version 2 header may carry beside the addresses. */
const longestBinary = 1024
const headerMs = 5000

/**
 * The header at the beginning of `bytes`; `more` while it may still become one, `wrong` when it is
 * none.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'more' | 'wrong' {
  const binary = bytes.subarray(0, 12)
  if (binary.equals(signature.subarray(0, binary.length)))
    return bytes.length < 16 ? 'more' : readBinary(bytes)
  const start = bytes.toString('latin1', 0, longestText)
  if (!'PROXY '.startsWith(start.slice(0, 6))) return 'wrong'
  const end = start.indexOf('\r\n')
  if (end < 0) return start.length < longestText ? 'more' : 'wrong'
  const [, family = '', source = '', ...rest] = start.slice(0, end).split(' ')
  if (family === 'UNKNOWN') return { length: end + 2, address: null }
  const ports = rest.slice(1)
  const isWhole =
    rest.length === 3 &&
    ports.every((port) => /^\d{1,5}$/.test(port)) &&
    isIP(rest[0] ?? '') === isIP(source)
  return isWhole && { TCP4: 4, TCP6: 6 }[family] === isIP(source)
    ? { length: end + 2, address: source }
    : 'wrong'
}

function readBinary(bytes: Buffer): ProxyHeader | 'more' | 'wrong' {
  const [command, family, size] = [bytes.readUInt8(12), bytes.readUInt8(13), bytes.readUInt16BE(14)]
  if (size > longestBinary || (command !== 0x20 && command !== 0x21)) return 'wrong'
  const length = 16 + size
  if (bytes.length < length) return 'more'
  if (command === 0x20 || family === 0) return { length, address: null }
  if (family === 0x11 && size >= 12)
    return { length, address: [...bytes.subarray(16, 20)].join('.') }
  if (family !== 0x21 || size < 36) return 'wrong'
  // a proxy that listens to both families says IPv4 as a part of IPv6, and all of it would be one
  // subscriber
  if (bytes.toString('hex', 16, 28) === `${'0'.repeat(20)}ffff`)
    return { length, address: [...bytes.subarray(28, 32)].join('.') }
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(16 + 2 * i).toString(16))
  return { length, address: groups.join(':') }
}

/** Addresses and networks (`10.0.0.0/8`) as a question; throws for what is none. */
export function isAmong(list: readonly string[]): (address: string) => boolean {
  const among = new BlockList()
  for (const one of list) {
    const [address = '', bits] = one.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) among.addAddress(address, family)
    else among.addSubnet(address, Number(bits), family)
  }
  return (address) =>
    among.check(
      address.replace(/^::ffff:(?=\d+\.)/i, ''),
      address.includes(':') && !address.includes('.') ? 'ipv6' : 'ipv4',
    )
}

/**
 * Takes the header off a connection of a trusted proxy; what follows it is the client's. Null: no
 * header came, or a wrong one.
 */
export function takeProxyHeader(socket: Socket): Promise<{ address: string | null } | null> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const timer = setTimeout(() => over(null), headerMs)
    function over(found: ProxyHeader | null): void {
      clearTimeout(timer)
      socket.pause()
      socket.off('data', hear).off('close', gone)
      if (found && bytes.length > found.length) socket.unshift(bytes.subarray(found.length))
      resolve(found)
    }
    const gone = () => over(null)
    function hear(chunk: Buffer): void {
      bytes = Buffer.concat([bytes, chunk])
      const found = readProxyHeader(bytes)
      if (found !== 'more') over(found === 'wrong' ? null : found)
    }
    socket.on('data', hear).on('close', gone)
  })
}
