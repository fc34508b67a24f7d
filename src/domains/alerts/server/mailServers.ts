import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { MailServer } from './mail.ts'
import { unseal } from './seal.ts'

/** The organisation's own mail server, or the one of the nearest above. */
export async function mailServerOf(
  ctx: Ctx,
  orgId: number,
): Promise<(MailServer & { orgId: number }) | null> {
  const { rows } = await sql<
    Omit<MailServer, 'password'> & { org_id: number; password: Buffer | null }
  >`
    select org_id, host, port, security, username, password, sender from alert_mail_servers
    where org_id = app_mail_server(${orgId})`.execute(ctx.db)
  const server = rows[0]
  if (!server) return null
  const { org_id, password, ...rest } = server
  return {
    ...rest,
    orgId: org_id,
    password: password
      ? unseal(ctx.app.config, `alert_mail_servers.password|${org_id}`, password)
      : '',
  }
}
