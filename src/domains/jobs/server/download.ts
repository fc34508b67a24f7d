import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { originOf, writeLog } from '../../../server/logRow.ts'
import type { SignedIn } from '../../../server/person.ts'
import { tenantOf } from '../../../server/shares.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { say, toLang } from '../../../shared/text.ts'
import { jobErrors } from '../contract.ts'
import { downloadable } from '../rules.ts'
import { mayExport, reachesAll } from './exports.ts'
import { importerFor, receive, trialOf, tryOut } from './imports.ts'
import { madeWith, ownRow } from './queries.ts'
import { markedFile, templateFile } from './sheet.ts'

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * Names outside ASCII travel as RFC 5987 says; the plain one is for clients that do not know it.
 */
const attachment = (reply: FastifyReply, name: string): FastifyReply =>
  reply
    .type(xlsx)
    .header(
      'content-disposition',
      `attachment; filename="download.xlsx"; filename*=UTF-8''${encodeURIComponent(name)}`,
    )

/**
 * What is no JSON: results of jobs, forms for imports, a person's file with its faults. Each behind
 * the token and the same checks.
 */
export function serveDownloads(http: FastifyInstance, app: App): void {
  const route = (
    method: 'GET' | 'POST',
    url: string,
    work: (actor: SignedIn, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    http.route({
      method,
      url,
      handler: async (request, reply) => {
        try {
          return await work(await app.product.signedIn(app, request), request, reply)
        } catch (error) {
          return answerError(app, error, request, reply)
        }
      },
    })
  }
  route('GET', '/api/jobs/:id/file', async (actor, request, reply) => {
    const { id } = request.params as { id: string }
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refusal(jobErrors.fileGone)
    const [row, made] = await app.database.read(actor.scope, async (db) => {
      const ctx = { actor, db }
      return [await ownRow(ctx, Number(id)), await madeWith(ctx, Number(id))] as const
    })
    if (!downloadable(row, app.now()) || !row.fileKey || !row.fileName)
      throw new Refusal(jobErrors.fileGone)
    if (row.kind === 'EXPORT' && !(await mayExport(actor, row.name)))
      throw new Refusal(common.forbidden)
    if (row.kind === 'EXPORT' && !(await reachesAll(app, actor, row.name, made)))
      throw new Refusal(jobErrors.madeWithMore)
    const stream = await app.files.open(row.fileKey)
    if (!stream) throw new Refusal(jobErrors.fileGone)
    return attachment(reply, row.fileName).header('content-length', row.fileBytes).send(stream)
  })
  route('GET', '/api/imports/:kind/template', async (actor, request, reply) => {
    const importer = await importerFor((request.params as { kind: string }).kind, actor)
    const lang = toLang(request.headers['accept-language'])
    return attachment(reply, `${say(importer.title, lang)}.xlsx`).send(
      Buffer.from(await templateFile(importer, lang)),
    )
  })
  route('POST', '/api/imports/:kind/marked', async (actor, request, reply) => {
    if (actor.view) throw new Refusal(common.viewOnly)
    const lang = toLang(request.headers['accept-language'])
    const { kind } = request.params as { kind: string }
    const startedAt = performance.now()
    const given = await receive(app, kind, request, actor)
    const faults = await tryOut(app, given, lang, request)
    // it answers what a trial answers, so it leaves the same
    await app.database.transact(actor.scope, (db) =>
      writeLog(
        { app, db, actor, now: app.now(), ...originOf(request) },
        'jobs.import',
        trialOf(given, faults),
        { result: 'SUCCESS', startedAt },
      ),
    )
    const file = await markedFile(given.sheet, faults, given.importer, {
      lang,
      orgId: tenantOf(actor),
    })
    return attachment(reply, `${say(given.importer.title, lang)}.xlsx`).send(Buffer.from(file))
  })
}
