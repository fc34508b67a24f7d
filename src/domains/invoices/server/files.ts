import type { FastifyInstance } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import { prepared } from '../../../server/bind.ts'
import type { App } from '../../../server/context.ts'
import { visible } from '../../../server/context.ts'
import { originOf, writeLog } from '../../../server/logRow.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { rowOf } from '../../../server/rows.ts'
import { tenantOf } from '../../../server/shares.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { checkRoom, keepUpload } from '../../files/server/verbs.ts'
import type { invoices } from '../contract.ts'
import { concerns, fileKind, fileLimit, invoiceErrors } from '../rules.ts'

const mimes = { pdf: 'application/pdf', ofd: 'application/ofd' } as const

/** Kept before there is a record that names it: what stays unnamed goes after a day. */
export const upload = prepared<(typeof invoices)['upload'], string>({
  async prepare(app, _input, request, actor) {
    await checkRoom(app, actor)
    const { bytes } = await oneFile(request, tenantOf(actor), fileLimit, {
      notMultipart: invoiceErrors.oneFile,
      tooLarge: invoiceErrors.fileTooLarge,
      noFile: invoiceErrors.oneFile,
    })
    const kind = fileKind(bytes)
    if (kind === null) throw fieldRefusal(invoiceErrors.fileType, 'file')
    if (kind === 'broken') throw fieldRefusal(invoiceErrors.fileBroken, 'file')
    return keepUpload(app, actor, { kind: 'FILE', bytes, extension: kind, mime: mimes[kind] })
  },
  run: async (_ctx, _input, file) => ({ file }),
})

type Filed = { orgId: number; issuerOrgId: number; requestNo: string; no: string; file: string }

/** The file of an invoice, for the two organisations whose it is; each time is logged. */
export function serveInvoices(http: FastifyInstance, app: App): void {
  http.route({
    method: 'GET',
    url: '/api/finance/invoices/:id/file',
    handler: async (request, reply) => {
      try {
        const person = await app.product.signedIn(app, request)
        const startedAt = performance.now()
        if (!person.permissions.has('invoice:read')) throw new Refusal(common.forbidden)
        const actor = { ...person, scope: person.scopeOf('invoice:read') }
        const { id } = request.params as { id: string }
        if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refusal(common.notFound)
        const made = await app.database.transact(actor.scope, async (db) => {
          const row = await rowOf<Filed>(db)`select org_id as "orgId",
              issuer_org_id as "issuerOrgId", request_no as "requestNo", issued_no as no, file
            from invoices i where id = ${Number(id)} and file <> '' and ${visible({ actor }, 'i.org_id')}`
          if (!row) throw new Refusal(common.notFound)
          if (!concerns(row, actor.orgId)) throw new Refusal(invoiceErrors.notYours)
          await writeLog(
            { app, db, actor, now: app.now(), ...originOf(request) },
            'invoices.download',
            { id, name: row.requestNo, orgId: row.orgId },
            { result: 'SUCCESS', startedAt },
          )
          return row
        })
        const stream = await app.files.open(made.file.slice('files/'.length))
        if (!stream) throw new Refusal(common.notFound)
        const kind = made.file.endsWith('.pdf') ? 'pdf' : 'ofd'
        const name = `${made.no}.${kind}`
        return reply
          .type(mimes[kind])
          .header('content-disposition', `attachment; filename="${name}"; filename*=UTF-8''${name}`)
          .send(stream)
      } catch (error) {
        return answerError(app, error, request, reply)
      }
    },
  })
}
