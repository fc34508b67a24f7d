import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import type { Ctx } from '../../../server/context.ts'
import {
  Blocked,
  reasonOf,
  resolveTarget,
  type SendAnswer,
  timeoutMs,
} from '../../../server/outbound.ts'
import { rowOf } from '../../../server/rows.ts'
import { unseal } from './seal.ts'

export type MailServer = {
  host: string
  port: number
  security: 'TLS' | 'STARTTLS' | 'NONE'
  username: string
  password: string
  sender: string
}
/** The organisation's own mail server, or the one of the nearest above. */
export async function mailServerOf(
  ctx: Ctx,
  orgId: number,
): Promise<(MailServer & { orgId: number }) | null> {
  type Kept = Omit<MailServer, 'password'> & { orgId: number; password: Buffer | null }
  const server = await rowOf<Kept>(ctx.db)`select org_id as "orgId", host, port, security, username,
      password, sender from alert_mail_servers where org_id = app_mail_server(${orgId})`
  if (!server) return null
  const place = `alert_mail_servers.password|${server.orgId}` as const
  const { password } = server
  return { ...server, password: password ? unseal(ctx.app.config, place, password) : '' }
}

type Mail = {
  id: string
  to: readonly string[]
  subject: string
  text: string
  privateAllowed: boolean
  attachments?: readonly { filename: string; content: Buffer; contentType: string }[]
}

/**
 * One message over SMTP; the same id at every try, so that mail programs show a repeated one once.
 */
export async function sendMail(server: MailServer, mail: Mail): Promise<SendAnswer> {
  try {
    const { address } = await resolveTarget(server.host, mail.privateAllowed)
    const transport = createTransport({
      host: address,
      port: server.port,
      secure: server.security === 'TLS',
      requireTLS: server.security === 'STARTTLS',
      ignoreTLS: server.security === 'NONE',
      ...(isIP(server.host) ? {} : { tls: { servername: server.host } }),
      ...(server.username ? { auth: { user: server.username, pass: server.password } } : {}),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from: { name: 'Huodao', address: server.sender },
        to: [...mail.to],
        subject: mail.subject,
        text: mail.text,
        attachments: [...(mail.attachments ?? [])],
        messageId: `<${mail.id}@huodao>`,
      })
    } finally {
      transport.close()
    }
    return { state: 'SENT' }
  } catch (error) {
    if (error instanceof Blocked) return { state: 'FAILED', reason: error.message }
    const { responseCode } = error as { responseCode?: number }
    return { state: 'RETRY', reason: responseCode ? `SMTP ${responseCode}` : reasonOf(error) }
  }
}
