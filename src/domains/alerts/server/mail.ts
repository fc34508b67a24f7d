import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import { Blocked, resolveTarget, type SendAnswer, timeoutMs } from './outbound.ts'
import { reasonOf } from './webhook.ts'

export type MailServer = {
  host: string
  port: number
  security: 'TLS' | 'STARTTLS' | 'NONE'
  username: string
  password: string
  sender: string
}
type Mail = {
  id: string
  to: readonly string[]
  subject: string
  text: string
  privateAllowed: boolean
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
