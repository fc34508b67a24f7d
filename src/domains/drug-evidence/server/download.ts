import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { originOf, writeLog } from '../../../server/logRow.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { evidenceErrors } from '../rules.ts'
import { wholeSeen } from './queries.ts'

/** The file of a package, for whoever sees all its machines; each time is kept. */
export function serveEvidence(http: FastifyInstance, app: App): void {
  http.route({
    method: 'GET',
    url: '/api/drug-evidence-packs/:no/file',
    handler: async (request, reply) => {
      try {
        const person = await app.product.signedIn(app, request)
        const startedAt = performance.now()
        if (!person.permissions.has('drug-evidence:export')) throw new Refusal(common.forbidden)
        const actor = { ...person, scope: person.scopeOf('drug-evidence:export') }
        const { no } = request.params as { no: string }
        const now = app.now()
        const file = await app.database.transact(actor.scope, async (db) => {
          type Pack = { id: number; key: string | null; bytes: number; state: string }
          const pack = await rowOf<Pack>(db)`select id, file_key as key, file_bytes as bytes, state
            from evidence_packs where no = ${no}`
          if (!pack) throw new Refusal(common.notFound)
          if (pack.state !== 'DONE') throw new Refusal(evidenceErrors.notReady)
          if (pack.key === null) throw new Refusal(evidenceErrors.gone)
          if (!(await wholeSeen({ actor, db }, [pack.id])).has(pack.id))
            throw new Refusal(evidenceErrors.wider)
          const { name } = await onlyRow<{ name: string }>(db)`select real_name as name from users
            where id = ${actor.userId}`
          await sql`insert into evidence_accesses (org_id, pack_id, user_id, user_name, what, at)
            values (${actor.orgId}, ${pack.id}, ${actor.userId}, ${name}, 'DOWNLOAD',
              ${now})`.execute(db)
          await writeLog(
            { app, db, actor, now, ...originOf(request) },
            'drugEvidence.download',
            { id: pack.id, name: no },
            { result: 'SUCCESS', startedAt },
          )
          return { key: pack.key, bytes: pack.bytes }
        })
        const stream = await app.files.open(file.key)
        if (!stream) throw new Refusal(evidenceErrors.gone)
        return reply
          .type('application/zip')
          .header('content-length', file.bytes)
          .header(
            'content-disposition',
            `attachment; filename="${no}.zip"; filename*=UTF-8''${no}.zip`,
          )
          .send(stream)
      } catch (error) {
        return answerError(app, error, request, reply)
      }
    },
  })
}
