import type { FastifyInstance } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { visible } from '../../../server/context.ts'
import { originOf, writeLog } from '../../../server/logRow.ts'
import { rowOf } from '../../../server/rows.ts'
import { openThreads } from '../../../server/threads.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { toLang } from '../../../shared/text.ts'
import { type Content, month as Month, statementErrors } from '../statementContract.ts'
import type { Ask, work } from './statementPdf.ts'

const threads = openThreads<typeof work>(new URL('./statementPdf.ts', import.meta.url), {
  ...{ threads: 1, waiting: 5, seconds: 60, megabytes: 256 },
})

/** At most a few wait for their turn; a mail tries again. */
export const drawStatement = (ask: Ask, orgId: number): Promise<Uint8Array> =>
  threads('statementPdf', ask, { orgId })

/** The file of a statement, drawn from what was issued; each time is in the log. */
export function serveStatements(http: FastifyInstance, app: App): void {
  http.route({
    method: 'GET',
    url: '/api/finance/statements/:orgId/:month',
    handler: async (request, reply) => {
      try {
        const person = await app.product.signedIn(app, request)
        const startedAt = performance.now()
        if (!person.permissions.has('billing:export')) throw new Refusal(common.forbidden)
        const actor = { ...person, scope: person.scopeOf('billing:export') }
        const { orgId, month } = request.params as { orgId: string; month: string }
        const { version } = request.query as { version?: unknown }
        const said = version === undefined ? null : Number(version)
        const known = /^[1-9]\d{0,14}$/.test(orgId) && Month.safeParse(month).success
        if (!known || (said !== null && !(Number.isSafeInteger(said) && said > 0 && said < 1e6)))
          throw new Refusal(common.notFound)
        const now = app.now()
        const issued = await app.database.transact(actor.scope, async (db) => {
          type Issued = { id: number; no: number; content: Content; at: Date }
          const one = await rowOf<Issued>(db)`select s.id, s.version_no as no, s.content,
              s.issued_at as at
            from statements s where s.org_id = ${Number(orgId)} and ${visible({ actor }, 's.org_id')}
              and ${actor.scope.devices === null}::boolean and s.month = ${`${month}-01`}::date
              and s.state = 'DONE' and (${said}::int is null or s.version_no = ${said}::int)
            order by s.version_no desc limit 1`
          if (!one) throw new Refusal(statementErrors.notIssued)
          const name = `${one.content.orgName} ${month} v${one.no}`
          const of = { app, db, actor, now, ...originOf(request) }
          const how = { result: 'SUCCESS' as const, startedAt }
          await writeLog(of, 'billing.statement', { id: one.id, name, orgId: Number(orgId) }, how)
          return one
        })
        const pdf = await drawStatement(
          {
            ...{ period: month, versionNo: issued.no, content: issued.content },
            issuedAt: issued.at.toISOString(),
            lang: toLang(request.headers['accept-language']),
          },
          actor.orgId,
        )
        const file = `statement-${orgId}-${month}-v${issued.no}.pdf`
        return reply
          .type('application/pdf')
          .header('content-disposition', `attachment; filename="${file}"; filename*=UTF-8''${file}`)
          .send(Buffer.from(pdf))
      } catch (error) {
        return answerError(app, error, request, reply)
      }
    },
  })
}
