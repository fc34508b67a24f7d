import { lookup } from 'node:dns/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Where the server may be sent by somebody's settings: public addresses only, so that a channel is
 * no door into our own network. Names are resolved once and the connection goes to the address that
 * was checked.
 */
const inside = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  inside.addSubnet(net, bits, 'ipv4')

/** Of IPv6 only what is routed world-wide, without the ranges that carry an IPv4 address. */
const outside6 = new BlockList()
outside6.addSubnet('2000::', 3, 'ipv6')
const carrying = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  carrying.addSubnet(net, bits, 'ipv6')

/** Networks this host stands in, asked each time: interfaces come and go. */
function isOurs(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList()
  for (const { cidr } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    const [net, bits] = cidr?.split('/') ?? []
    if (net && bits) own.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4')
  }
  return own.check(address, family)
}

/** Whether an address may be reached without a setting that allows it. */
export function isPublic(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !inside.check(address, 'ipv4') && !isOurs(address, 'ipv4')
  if (version !== 6) return false
  return (
    outside6.check(address, 'ipv6') && !carrying.check(address, 'ipv6') && !isOurs(address, 'ipv6')
  )
}

export type SendAnswer =
  | { readonly state: 'SENT' }
  | { readonly state: 'RETRY' | 'FAILED'; readonly reason: string }
export type Target = { readonly address: string; readonly family: 4 | 6 }
export class Blocked extends Error {}
export const timeoutMs = 5000

/**
 * The address to connect to. Every address of the name has to be allowed: a name with one inside is
 * a trick.
 */
export async function resolveTarget(host: string, privateAllowed: boolean): Promise<Target> {
  const bare = host.replace(/^\[|\]$/g, '')
  const found = isIP(bare)
    ? [{ address: bare, family: isIP(bare) }]
    : await inTime(lookup(bare, { all: true, verbatim: true }))
  const [first] = found
  if (!first) throw new Error('ENOTFOUND')
  if (!privateAllowed && !found.every(({ address }) => isPublic(address)))
    throw new Blocked('private address')
  return { address: first.address, family: first.family === 6 ? 6 : 4 }
}

export type Call = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  privateAllowed: boolean
  /** From the first word to the last byte of the answer. */
  timeoutMs?: number
}

/**
 * One call to an address that was checked; redirects are not followed. The answer's body is its
 * reader's: taken within bounds, or destroyed.
 */
export async function callOut({
  url,
  method = 'POST',
  headers,
  body = '',
  privateAllowed,
  timeoutMs: most = timeoutMs,
}: Call): Promise<IncomingMessage> {
  const target = new URL(url)
  const { address, family } = await resolveTarget(target.hostname, privateAllowed)
  return new Promise((done, fail) => {
    const secure = target.protocol === 'https:'
    const call = (secure ? httpsRequest : httpRequest)(
      {
        host: address,
        family,
        port: target.port || (secure ? 443 : 80),
        path: target.pathname + target.search,
        method,
        headers: {
          ...headers,
          ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
          host: target.host,
        },
        ...(secure && !isIP(target.hostname.replace(/^\[|\]$/g, ''))
          ? { servername: target.hostname }
          : {}),
        agent: false,
        signal: AbortSignal.timeout(most),
      },
      done,
    )
    call.on('error', fail)
    call.end(method === 'POST' ? body : undefined)
  })
}

/** The whole body of an answer, or a fault when it is longer or breaks off. */
export async function bodyOf(answer: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > mostBytes) {
      answer.destroy()
      throw new Error('EMSGSIZE')
    }
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** A word for people, without addresses: what a name resolves to is not theirs to learn. */
export function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'ETIMEDOUT'
  return typeof code === 'string'
    ? code
    : error instanceof Error && /^E[A-Z]+$/.test(error.message)
      ? error.message
      : 'failed'
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('ETIMEDOUT')), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
