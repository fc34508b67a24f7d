import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { dayMs } from '../../../shared/instants.ts'

/**
 * The first administrator's password waits in a file that only the server's user reads: logs are
 * kept and sent elsewhere.
 */
export const firstPasswordFile = (dataDir: string): string =>
  path.join(dataDir, 'first-administrator.txt')

export function writeFirstPassword(
  dataDir: string,
  { username, password }: { username: string; password: string },
): string {
  const file = firstPasswordFile(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  rmSync(file, { force: true })
  writeFileSync(file, `${username}\n${password}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

/**
 * The file goes when its password does: at the first sign-in it has to be changed. Until somebody
 * came in there is no other way in, so the days after which first passwords end
 * (`password.firstDays`) do not run while the file lies there.
 */
export async function registerFirstPassword(app: App): Promise<void> {
  const file = firstPasswordFile(app.config.dataDir)
  const look = async () => {
    if (!existsSync(file)) return
    const waits = await app.database.transact(systemScope, async (db) => {
      const dayAgo = new Date(app.now().getTime() - dayMs)
      await db
        .updateTable('users')
        .set({ password_changed_at: app.now() })
        .where('username', '=', 'super')
        .where('must_change_password', '=', true)
        .where('last_login_at', 'is', null)
        .where('password_changed_at', '<', dayAgo)
        .execute()
      return db
        .selectFrom('users')
        .select('id')
        .where('username', '=', 'super')
        .where('must_change_password', '=', true)
        .executeTakeFirst()
    })
    if (!waits) rmSync(file, { force: true })
  }
  if (existsSync(file)) app.jobs.every('first-password', 5000, look)
}
