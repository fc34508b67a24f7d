import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { seedAccess } from '../domains/accounts/seed.ts'
import { session } from '../domains/session/contract.ts'
import { systemScope } from './database.ts'
import { sealOnce, verifyLog } from './seal.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  await api.app.database.transact(systemScope, (db) => seedAccess(db, new Date()))
  await api.sql(`insert into users (org_id, username, password_hash, real_name) values (1, 'me', 'x', 'me')`)
  await api.sql(`insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1 from users u, roles r where r.code = 'ROLE_ADMIN'`)
  for (let n = 0; n < 6; n += 1) await api.call(session.logout, {}, { token: await api.login('me') })
})
afterAll(async () => api.close())

const verify = () => api.app.database.read(systemScope, verifyLog)
/** Other databases of the server may hold the snapshot back for a moment: what is not sealed now is sealed soon. */
async function sealed(rows: number): Promise<void> {
  for (let left = rows, tries = 0; left > 0 && tries < 200; tries += 1) {
    left -= await sealOnce(api.app)
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const asOwner = async (statement: string) => {
  await api.sql(`set session_replication_role = 'replica'`)
  await api.sql(statement)
  await api.sql(`set session_replication_role = 'origin'`)
}

test('rows are sealed once, in order, and the first row that was touched is named', async () => {
  await sealed(6)
  expect(await sealOnce(api.app)).toBe(0)
  const seals = await api.sql<{ seq: string; log_id: string }>('select seq, log_id from operation_log_seals order by seq')
  expect(seals).toHaveLength(6)
  expect(await verify()).toEqual({ checked: 6, broken: null })

  await asOwner(`update operation_logs set content = content || ' ' where id = ${seals[3]?.log_id}`)
  expect((await verify()).broken).toEqual({ seq: 4, logId: Number(seals[3]?.log_id), why: 'CHANGED' })
  await asOwner(`update operation_logs set content = rtrim(content) where id = ${seals[3]?.log_id}`)
  expect((await verify()).broken).toBeNull()

  await asOwner(`delete from operation_logs where id = ${seals[1]?.log_id}`)
  expect((await verify()).broken).toEqual({ seq: 2, logId: Number(seals[1]?.log_id), why: 'MISSING' })
})

test('a running transaction is not sealed over', async () => {
  await api.app.database.transact(systemScope, async (db) => {
    await db.selectFrom('users').select('id').execute()
    await db
      .insertInto('operation_logs')
      .values({
        org_id: 1,
        created_at: new Date(),
        username: 'slow',
        level: 'INFO',
        action: 'session.logout',
        content: 'x',
        resource_id: '1',
        ip_address: '',
        request_id: '',
      })
      .execute()
    await api.call(session.logout, {}, { token: await api.login('me') })
    expect(await sealOnce(api.app)).toBe(0)
  })
  await sealed(2)
})
