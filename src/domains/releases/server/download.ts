import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowOf } from '../../../server/rows.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { openIdentities } from '../../machines/server/identity.ts'

const identitiesOf = perApp(openIdentities)

/** `bytes=5-` or `bytes=5-99` of so many; null: all; undefined: none of it is there. */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | null | undefined {
  if (header === undefined) return null
  const [, from, to] = /^bytes=(\d{1,12})-(\d{1,12})?$/.exec(header) ?? []
  if (from === undefined) return null
  const [start, end] = [Number(from), to === undefined ? size - 1 : Math.min(Number(to), size - 1)]
  return start > end ? undefined : { start, end }
}

/**
 * The bytes of a release for a machine that it was let out to, whole or from where it stopped; it
 * proves itself by number and secret as at the gateway.
 */
export function serveReleases(http: FastifyInstance, app: App): void {
  http.route({
    method: 'GET',
    url: '/api/machine/releases/:id',
    handler: async (request, reply) => {
      try {
        const { id } = request.params as { id: string }
        if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refusal(common.notFound)
        const [, basic = ''] =
          /^Basic ([A-Za-z0-9+/=]{1,200})$/.exec(request.headers.authorization ?? '') ?? []
        const [rtu = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':')
        const machine = await identitiesOf(app).prove(rtu, Buffer.from(secret))
        if (!machine) throw new Refusal(common.notFound)
        const file = await app.database.read(
          systemScope,
          (db) => rowOf<{ file: string; sha256: string }>(db)`
            select v.file, v.sha256 from rollouts r join release_updates u on u.rollout_id = r.id
            join release_versions v on v.id = r.version_id
            where r.manifest_id = ${Number(id)} and r.state = 'RUNNING' and v.file <> ''
              and u.device_id = ${machine.id} and u.open and u.released_at is not null limit 1`,
        )
        if (!file) throw new Refusal(common.notFound)
        const path = app.files.path(file.file.slice('files/'.length))
        const size = await stat(path).then(
          (found) => found.size,
          () => 0,
        )
        if (!size) throw new Refusal(common.notFound)
        const range = rangeOf(request.headers.range, size)
        reply
          .type('application/octet-stream')
          .header('accept-ranges', 'bytes')
          .header('etag', `"${file.sha256}"`)
          .header('cache-control', 'no-store')
        if (range === undefined)
          return reply.code(416).header('content-range', `bytes */${size}`).send('')
        const { start, end } = range ?? { start: 0, end: size - 1 }
        if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
        reply.header('content-length', end - start + 1)
        return reply.send(createReadStream(path, { start, end }))
      } catch (error) {
        return answerError(app, error, request, reply)
      }
    },
  })
}
