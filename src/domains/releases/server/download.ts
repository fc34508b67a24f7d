import type { FastifyInstance } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowOf } from '../../../server/rows.ts'
import { sendPart } from '../../../server/sendPart.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { openIdentities } from '../../machines/server/identity.ts'

const identitiesOf = perApp(openIdentities)

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
        const name = file.file.slice('files/'.length)
        const size = await app.files.size(name)
        if (!size) throw new Refusal(common.notFound)
        return await sendPart(request, reply, size, (part) => app.files.open(name, part), {
          'content-type': 'application/octet-stream',
          'cache-control': 'no-store',
          etag: `"${file.sha256}"`,
        })
      } catch (error) {
        return answerError(app, error, request, reply)
      }
    },
  })
}
