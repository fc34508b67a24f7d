import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { common, Refusal } from '../shared/errors.ts'

type Part = { start: number; end: number }

/**
 * A file, or the one part of it that is asked for: films are looked through, and machines go on with
 * a download where it stopped. The headers are said only of what is there.
 */
export async function sendPart(
  request: FastifyRequest,
  reply: FastifyReply,
  size: number,
  open: (part?: Part) => Promise<Readable | null>,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const part = partOf(request.headers.range, size)
  if (part === 'none')
    return reply.code(416).header('content-range', `bytes */${size}`).type('text/plain').send('')
  const stream = await open(part ?? undefined)
  if (!stream) throw new Refusal(common.notFound)
  reply
    .headers(headers)
    .header('accept-ranges', 'bytes')
    .header('content-length', part ? part.end - part.start + 1 : size)
  if (part) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`)
  return reply.send(stream)
}

/**
 * Null: all of it, also where several parts are asked for or the header is none (RFC 9110 lets a
 * server leave them out); `none`: it has no such part.
 */
function partOf(range: string | undefined, size: number): Part | null | 'none' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return null
  const last = size - 1
  const [start, end] =
    from === ''
      ? [Math.max(0, size - Number(to)), last]
      : [Number(from), to === '' ? last : Math.min(Number(to), last)]
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null
  return start > last || end < start ? 'none' : { start, end }
}
