import { addOrganisations, addUser } from '../../../../test/factories/things.ts'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { hashPassword } from '../../../server/passwords.ts'
import { type Kind, type Piece, runDue } from '../../../server/work.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { codeKind } from './sms.ts'
import { type SmsProvider, smsProvider } from './smsProvider.ts'
import { wayMessageKind } from './ways.ts'

/**
 * An operator's organisation whose people try the other ways in; every test has a person and an
 * hour of its own.
 */
export type Ways = {
  api: TestApi
  /** Username and phone of the person of this test. */
  name: string
  phone: string
  /** How many tests ran, for numbers nobody else has. */
  n: number
  now: () => Date
  later(seconds: number): void
  addUser(username: string, phone: string): Promise<void>
  /** Somebody of the platform who may do everything. */
  addAdmin(username: string): Promise<void>
  next(): Promise<void>
  /** What the simulated provider put into the inbox for this number. */
  delivered(phone: string): Promise<string>
}
export const password = 'Right horse 7'
export const codeOf = (answer: { status: number; body: { code?: number } }): number =>
  answer.body.code ?? answer.status

export async function openWays(): Promise<Ways> {
  let clock = new Date('2026-11-21T06:00:00Z').getTime()
  const now = () => new Date(clock)
  const hash = await hashPassword(password)
  const api = await startTestApi({ now, config: { TRUST_PROXY: '1' } })
  await api.app.database.transact(systemScope, (db) => seedAccess(db, now()))
  await addOrganisations(api.sql, [2, 1, 'AGENT', 'a'], [3, 2, 'OPERATOR', 'o'])
  const ways: Ways = {
    api,
    name: '',
    phone: '',
    n: 0,
    now,
    later(seconds) {
      clock += seconds * 1000
    },
    async addUser(username, phone) {
      await addUser(
        api.sql,
        { org_id: 3, username, password_hash: hash, real_name: 'x', phone },
        'ROLE_RTU_SP',
      )
    },
    async addAdmin(username) {
      await addUser(
        api.sql,
        { org_id: 1, username, password_hash: hash, real_name: 'x' },
        'ROLE_SUPER_ADMIN',
      )
    },
    async next() {
      ways.n += 1
      ways.later(3600)
      ways.name = `walker${ways.n}`
      ways.phone = `1380000${String(ways.n).padStart(4, '0')}`
      await ways.addUser(ways.name, ways.phone)
    },
    async delivered(phone) {
      await sendCodes(api.app)
      const [row] = await api.sql<{ content: string }>(
        'select content from dev_messages where phone = $1 order by id desc limit 1',
        [phone],
      )
      return /\d{6}/.exec(row?.content ?? '')?.[0] ?? ''
    },
  }
  return ways
}

/** All that is due, as a worker would send it; answers how many. */
async function sendAll<P extends Piece, A extends { readonly state: string }>(
  app: App,
  kind: Kind<P, A>,
): Promise<number> {
  let all = 0
  for (let sent = 1; sent > 0; all += sent) sent = await runDue(app, kind)
  return all
}
export const sendCodes = (app: App) => sendAll(app, codeKind(app, smsProvider(app) as SmsProvider))
export const sendWayMessages = (app: App) =>
  sendAll(app, wayMessageKind(app, smsProvider(app) as SmsProvider))

/** Whether a row as PostgreSQL prints it holds this secret, as text or as bytes. */
export const shows = (printed: string | undefined, secret: string): boolean =>
  printed === undefined ||
  [secret, Buffer.from(secret).toString('hex')].some((form) => printed.includes(form))
