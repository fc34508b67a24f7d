import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { buildApi } from '../apps/api.ts'

/** What a stranger gets from the address of a server in production. */
let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

it('figures and the contract are closed in production, figures open to whoever has the token', async () => {
  const closed = await buildApi({ ...api.app, config: { ...api.app.config, production: true, apiDocs: false, metricsToken: 'x'.repeat(20) } })
  const ask = async (url: string, authorization = '') => (await closed.inject({ url, headers: { authorization } })).statusCode
  expect(await Promise.all(['/metrics', '/openapi.json', '/api-docs', '/health'].map((url) => ask(url)))).toEqual([404, 404, 404, 200])
  expect([await ask('/metrics', `Bearer ${'y'.repeat(20)}`), await ask('/metrics', `Bearer ${'x'.repeat(20)}`)]).toEqual([404, 200])
  expect((await api.http.inject({ url: '/openapi.json' })).statusCode).toBe(200)
  await closed.close()
})

it('a browser that came by TLS is told to come by nothing else', async () => {
  const behind = await buildApi({ ...api.app, config: { ...api.app.config, trustProxy: '127.0.0.1' } })
  const ask = (proto: string, remoteAddress = '127.0.0.1') => behind.inject({ url: '/health', headers: { 'x-forwarded-proto': proto }, remoteAddress })
  expect((await ask('https')).headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  expect((await ask('http')).headers).not.toHaveProperty('strict-transport-security')
  expect((await ask('https', '10.1.1.1')).headers).not.toHaveProperty('strict-transport-security')
  await behind.close()
})
