import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import { buildApi } from '../../src/apps/api.ts'
import { openApp } from '../../src/apps/app.ts'
import { closeApp } from '../../src/server/app.ts'
import { loadConfig } from '../../src/server/config.ts'
import type { App } from '../../src/server/context.ts'
import { tokenHash } from '../../src/server/rateKeys.ts'
import { type Endpoint, toRequest } from '../../src/shared/contract.ts'
import { add } from '../factories/things.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, looked into by tests
export type Answer = { status: number; body: any; headers: LightMyRequestResponse['headers'] }
export type CallOptions = {
  token?: string | undefined
  headers?: Record<string, string>
  on?: FastifyInstance
}
export type TestApi = {
  app: App
  http: FastifyInstance
  ownerUrl: string
  /** As the owner: sees all rows. */
  sql<T = Record<string, unknown>>(text: string, values?: unknown[]): Promise<T[]>
  /** The endpoint with this input, as a client would send it. */
  call(endpoint: Endpoint, input?: Record<string, unknown>, options?: CallOptions): Promise<Answer>
  /**
   * A path below /api with a body of any kind, as whoever has this token; a file comes as bytes.
   */
  ask(
    token: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** A file in a form, as a browser sends it. */
  sendFile(
    token: string | undefined,
    url: string,
    content: Buffer | string,
    name?: string,
  ): Promise<Answer>
  /** A session written straight into the database; `change` sets other columns of it. */
  login(username: string, change?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}
export type TestApiOptions = {
  seeded?: boolean
  /**
   * Another database than a clone of the template, and another login for the server than its
   * owner's.
   */
  on?: TestDatabase & { serverUrl: string }
  now?: () => Date
  config?: Record<string, string>
}

/**
 * Settings of a process under test: fixed keys, no limits that a fast test would meet, files in a
 * folder of its own.
 */
export const testConfig = (ownerUrl: string, dataDir: string, more: Record<string, string> = {}) =>
  loadConfig({
    DATABASE_URL: ownerUrl,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '1000000',
    SIGN_IN_RATE_LIMIT: '1000000',
    SECRET_KEY: '0'.repeat(64),
    SIM_PAY_KEY: '1'.repeat(64),
    ...more,
  })

const boundary = 'testBOUNDARY'

/** The API in this process on a database of its own. */
export async function startTestApi({
  seeded = false,
  on,
  now = () => new Date(),
  config = {},
}: TestApiOptions = {}): Promise<TestApi> {
  const database = on ?? (await testDatabase({ seeded }))
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-api-'))
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`select set_config('app.all', 'on', false); set timezone = 'UTC'`)
  const app = await openApp(
    testConfig(on?.serverUrl ?? database.ownerUrl, dataDir, config),
    'test',
    now,
  )
  // no pages: the folder is empty
  const http = await buildApi(app, join(dataDir, 'web'))
  const sql = async <T>(text: string, values: unknown[] = []) =>
    (await owner.query(text, values)).rows as T[]
  const ask: TestApi['ask'] = async (token, method, url, body, headers = {}) => {
    const raw = body === undefined || Buffer.isBuffer(body)
    const type = raw ? {} : { 'content-type': 'application/json' }
    const payload = raw ? body : JSON.stringify(body)
    const given = payload === undefined ? {} : { payload }
    const response = await http.inject({
      method,
      url: `/api${url}`,
      headers: { ...(token ? { authorization: token } : {}), ...type, ...headers },
      ...given,
    })
    return isJson(response)
      ? answerOf(response)
      : { status: response.statusCode, body: response.rawPayload, headers: response.headers }
  }
  return {
    app,
    http,
    ownerUrl: database.ownerUrl,
    sql,
    ask,
    sendFile: (token, url, content, name = 'a.csv') => {
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
      const payload = Buffer.concat([
        Buffer.from(head),
        Buffer.from(content),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ])
      return ask(token, 'POST', url, payload, {
        'content-type': `multipart/form-data; boundary=${boundary}`,
      })
    },
    call: (endpoint, input = {}, options = {}) =>
      callOn(options.on ?? http, endpoint, input, options),
    async login(username, change = {}) {
      const token = randomBytes(32).toString('base64url')
      const [user] = await sql<{ id: number; org_id: number }>(
        'select id, org_id from users where username = $1',
        [username],
      )
      if (!user) throw new Error(`no user ${username}`)
      const at = now()
      await add(sql, 'sessions', {
        token_hash: tokenHash(token),
        user_id: user.id,
        org_id: user.org_id,
        ip: '127.0.0.1',
        user_agent: 'test',
        created_at: at,
        last_seen_at: at,
        proven_at: at,
        expires_at: new Date(at.getTime() + 86_400_000),
        ...change,
      })
      return token
    },
    async close() {
      await http.close()
      await closeApp(app)
      await owner.end()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function callOn(
  http: FastifyInstance,
  endpoint: Endpoint,
  input: Record<string, unknown>,
  { token, headers = {} }: CallOptions,
): Promise<Answer> {
  const { url, body } = toRequest(endpoint, input)
  const response = await http.inject({
    method: endpoint.method,
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: token }),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { payload: JSON.stringify(body) } : {}),
  })
  return answerOf(response)
}

const isJson = (response: LightMyRequestResponse) =>
  String(response.headers['content-type']).startsWith('application/json')

export function answerOf(response: LightMyRequestResponse): Answer {
  let body: unknown = response.body
  try {
    body = JSON.parse(response.body)
  } catch {
    // pages and streams are no JSON
  }
  return { status: response.statusCode, body, headers: response.headers }
}

/** The answer without what differs between two equal refusals. */
export const comparable = ({ status, body }: Answer): unknown => ({
  status,
  body: typeof body === 'object' && body !== null ? { ...body, requestId: undefined } : body,
})
