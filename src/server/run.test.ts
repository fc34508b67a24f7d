import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { bySystem, once } from './run.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

test('what is kept of an input under a key tells nobody a password in it, and still knows it again', async () => {
  const put = (password: string) =>
    bySystem(api.app, (ctx) => once(ctx, '/x', 'key', { password }, async () => ({ ok: true })))
  expect(await put('Right horse 7')).toEqual({ fresh: { ok: true } })
  const [row] = await api.sql<{ input_hash: Buffer }>('select input_hash from idempotency_keys')
  expect(
    row?.input_hash.equals(
      createHash('sha256')
        .update(JSON.stringify({ password: 'Right horse 7' }))
        .digest(),
    ),
  ).toBe(false)
  expect(await put('Right horse 7')).toMatchObject({ replay: { body: { ok: true } } })
  await expect(put('Another 1 horse')).rejects.toMatchObject({ def: { name: 'common.keyReused' } })
})
