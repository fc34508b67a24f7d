import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import type { SendAnswer } from '../../../server/outbound.ts'
import { rowOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { Ending, Kind, Piece } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { plainYuan } from '../../../shared/money.ts'
import { mailServerOf, sendMail } from '../../alerts/server/mail.ts'
import { cachedSetting } from '../../settings/server/values.ts'

export const mailsName = 'invoice-mails'

type Mail = Piece & { id: number; orgId: number; issuerOrgId: number }
type Said = {
  no: string
  title: string
  amount: number
  email: string
  file: string
  issuer: string
  sending: number
}

/** An invoice by mail, its file with it; the same message number at every try of one sending. */
export const mailKind = (app: App): Kind<Mail, SendAnswer> => ({
  name: mailsName,
  table: 'invoices',
  reads: sql`t.id, t.org_id as "orgId", t.issuer_org_id as "issuerOrgId"`,
  atOnce: 4,
  leaseSeconds: 120,
  waits: [60, 600, 3600, 14_400],
  do: (mail) => attempt(app, mail),
  mark,
})

async function attempt(app: App, { id, issuerOrgId }: Mail): Promise<SendAnswer> {
  const [said, server] = await bySystem(app, async (ctx) => [
    await rowOf<Said>(ctx.db)`select i.issued_no as no, i.title, i.amount, i.email, i.file,
      o.name as issuer, i.version as sending from invoices i
      join organisations o on o.id = i.issuer_org_id where i.id = ${id}`,
    await mailServerOf(ctx, issuerOrgId),
  ])
  if (!said) return { state: 'FAILED', reason: 'no invoice' }
  if (!server) return { state: 'RETRY', reason: 'no mail server' }
  const stream = await app.files.open(said.file.slice('files/'.length))
  if (!stream) return { state: 'FAILED', reason: 'no file' }
  const kind = said.file.endsWith('.pdf') ? 'pdf' : 'ofd'
  return sendMail(server, {
    id: `invoice-${id}-${said.sending}`,
    to: [said.email],
    subject: `电子发票 ${said.no} · ${said.issuer}`,
    text: letter(said),
    privateAllowed: await cachedSetting(app, platformOrg, 'alarm.privateAddresses'),
    attachments: [
      {
        filename: `${said.no}.${kind}`,
        content: await buffer(stream),
        contentType: `application/${kind}`,
      },
    ],
  })
}

const letter = ({ no, title, amount, issuer }: Said): string =>
  [
    `${issuer}为您开具了电子发票，请查收附件。`,
    `发票号码：${no}`,
    `抬头：${title}`,
    `金额：${plainYuan(amount)}元`,
    '',
    `${issuer} has issued an invoice, which is attached.`,
    `Invoice no.: ${no}, made out to: ${title}, amount: CNY ${plainYuan(amount)}`,
  ].join('\n')

async function mark(ctx: Ctx, mail: Mail, to: Ending<SendAnswer>): Promise<void> {
  const sent = to.state === 'SENT'
  // the version counts sendings: it is the same at every try of one
  await sql`update invoices set next_at = ${to.nextAt},
      version = version + ${sent ? 1 : 0}, state = ${sent ? 'SENT' : sql`state`}, sent_at = ${sent ? ctx.now : sql`sent_at`},
      mail_error = ${'reason' in to ? to.reason.slice(0, 300) : ''}
    where ${mail.ours}`.execute(ctx.db)
  ctx.touch('invoices', [mail.orgId, mail.issuerOrgId])
}
