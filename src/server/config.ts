import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { say } from '../shared/text.ts'
import { makeDataDir } from './dataDir.ts'

const flag = (fallback: boolean) =>
  z
    .string()
    .default(fallback ? '1' : '0')
    .refine((text) => text === '1' || text === '0', 'must be 1 or 0')
    .transform((text) => text === '1')
const whole = (fallback: number, min: number, max: number) =>
  z
    .string()
    .default(String(fallback))
    .refine(
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number)
const url = (...protocols: string[]) =>
  z
    .string()
    .optional()
    .refine(
      (text) =>
        text === undefined || (URL.canParse(text) && protocols.includes(new URL(text).protocol)),
      `must be an address that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    )
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return (
    most > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  )
}
const secret = z
  .string()
  .regex(
    /^[0-9a-f]{64}$/i,
    'must be 64 hexadecimal digits (for example from: openssl rand -hex 32)',
  )
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** Every setting, with its default. The order is the order of docs/operations.md. */
const settings = z.object({
  HOST: z
    .string()
    .regex(/^[0-9a-z.:-]+$/i, 'must be an address to listen on')
    .default('127.0.0.1'),
  PORT: whole(8080, 1, 65_535),
  MQTT_PORT: whole(1883, 1, 65_535),
  DATA_DIR: z.string().min(1).default('data'),
  DATABASE_URL: url('postgres:', 'postgresql:'),
  /**
   * The owner of the tables, when the server's own login is another: for migrations, backup and
   * restore only.
   */
  DATABASE_OWNER_URL: url('postgres:', 'postgresql:'),
  /** Proxies in front of the built-in broker that say whose connection it is (PROXY protocol). */
  MQTT_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
    .refine(
      (list) => list.every(isNetwork),
      'must be a list of addresses or networks such as 127.0.0.1,10.0.0.0/8',
    ),
  MQTT_URL: url('mqtt:', 'mqtts:', 'ws:', 'wss:'),
  /** Folder where the gateway keeps Mosquitto's password file and access list up to date. */
  MQTT_FILES: z.string().optional(),
  /** Public keys by which releases for machines are signed, one a line; never the private ones. */
  RELEASE_KEYS: z.string().optional(),
  BASE_PATH: z
    .string()
    .regex(/^\/([\w.~-]+\/)*[\w.~-]*$/, 'must be a path such as / or /huodao/')
    .default('/')
    .transform((path) => (path.endsWith('/') ? path : `${path}/`)),
  PUBLIC_URL: url('http:', 'https:'),
  TRUST_PROXY: z
    .string()
    .refine(
      (text) => text === '0' || text === '1' || text.split(',').every(isNetwork),
      'must be 0, 1 or a list of proxy addresses',
    )
    .default('0'),
  SECRET_KEY: secret.optional(),
  SIM_PAY_KEY: secret.optional(),
  /** Requests per second of one session or, without one, of one address. */
  RATE_LIMIT: whole(100, 1, 1_000_000),
  /** Sign-in tries per minute of one address. */
  SIGN_IN_RATE_LIMIT: whole(60, 1, 1_000_000),
  /** Where codes are posted as JSON, and the key sent along as a bearer. */
  SMS_API_URL: url('http:', 'https:'),
  SMS_API_KEY: z.string().max(500).default(''),
  WECHAT_APP_ID: z.string().max(100).default(''),
  WECHAT_APP_SECRET: z.string().max(200).default(''),
  WECHAT_API_BASE: url('http:', 'https:'),
  /** Payment channels; other addresses than theirs are for trials and tests. */
  WECHAT_PAY_BASE: url('http:', 'https:'),
  ALIPAY_GATEWAY: url('http:', 'https:'),
  /** Whether writing sample-server aliases also answer GET. */
  ALIAS_GET: flag(true),
  REQUEST_TIMEOUT_MS: whole(100_000, 1000, 600_000),
  ENVIRONMENT: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'must be one word')
    .default('production'),
  DEMO: flag(true),
  /** Who reads /metrics sends it as a bearer; without one, production has no /metrics. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 characters without spaces')
    .optional(),
  /** Whether /api-docs and /openapi.json answer; in production only when asked for. */
  API_DOCS: flag(true),
  FLEET: whole(12, 0, 10_000),
  /** How many times faster than life the simulated customers come; for tests and benchmarks. */
  FLEET_PACE: whole(1, 1, 1000),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  PRODUCTION: flag(false),
})

/** For the test that compares with docs/operations.md. */
export const settingNames: readonly string[] = Object.keys(settings.shape)

export type Config = ReturnType<typeof loadConfig>

/** Parses and checks all settings; a wrong one throws a sentence that names the variable. */
export function loadConfig(env: Record<string, string | undefined>) {
  // An empty variable counts as not set, as compose files and systemd units write it.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  const parsed = settings.safeParse(given)
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues
        .map(({ path, message }) => [String(path[0]), say(message, 'en')] as const)
        .map(
          ([name, message]) =>
            `The setting ${name} ${message.startsWith('must') ? message : `is wrong: ${message}`}.`,
        )
        .join('\n'),
    )
  }
  const { PORT, MQTT_PORT, SECRET_KEY, SIM_PAY_KEY, TRUST_PROXY, PRODUCTION, ...rest } = parsed.data
  if (PRODUCTION && given.DEMO !== undefined && rest.DEMO)
    throw new Error(
      'The setting DEMO must be 0 in production: demo accounts have a public password.',
    )
  if (PRODUCTION && !SECRET_KEY)
    throw new Error(
      'The setting SECRET_KEY is required in production: 64 hexadecimal digits, kept apart from the database.',
    )
  if (rest.DATABASE_OWNER_URL && !rest.DATABASE_URL)
    throw new Error(
      "The setting DATABASE_OWNER_URL wants DATABASE_URL as well: the server's own login.",
    )
  for (const name of ['WECHAT_PAY_BASE', 'ALIPAY_GATEWAY'] as const)
    if (PRODUCTION && rest[name] && !rest[name].startsWith('https://'))
      throw new Error(`The setting ${name} must start with https:// in production.`)
  const broker = brokerOf(rest.MQTT_URL)
  if (rest.MQTT_FILES && !broker.mqttAccount?.password)
    throw new Error(
      'The setting MQTT_FILES wants a user and a password in MQTT_URL, for example mqtt://gateway:3f9c…@broker:1884.',
    )
  const dataDir = resolve(rest.DATA_DIR)
  return {
    host: rest.HOST,
    port: PORT,
    portFixed: given.PORT !== undefined,
    mqttPort: MQTT_PORT,
    mqttPortFixed: given.MQTT_PORT !== undefined,
    mqttProxies: rest.MQTT_PROXIES,
    dataDir,
    databaseUrl: rest.DATABASE_URL,
    databaseOwnerUrl: rest.DATABASE_OWNER_URL,
    ...broker,
    mqttFiles: rest.MQTT_FILES && resolve(rest.MQTT_FILES),
    releaseKeys: resolve(rest.RELEASE_KEYS ?? join(dataDir, 'release-keys.txt')),
    basePath: rest.BASE_PATH,
    publicUrl: rest.PUBLIC_URL,
    // one proxy in front: the address it saw. Trusting every hop would let a client write its own
    trustProxy:
      TRUST_PROXY === '0'
        ? false
        : TRUST_PROXY === '1'
          ? (_address: string, hop: number) => hop === 0
          : TRUST_PROXY,
    secretKey: SECRET_KEY ?? storedSecret(dataDir, 'secret.key'),
    simPayKey: SIM_PAY_KEY ?? storedSecret(dataDir, 'sim-pay.key'),
    rateLimit: rest.RATE_LIMIT,
    signInRateLimit: rest.SIGN_IN_RATE_LIMIT,
    smsApiUrl: rest.SMS_API_URL,
    smsApiKey: rest.SMS_API_KEY,
    wechatAppId: rest.WECHAT_APP_ID,
    wechatAppSecret: rest.WECHAT_APP_SECRET,
    wechatApiBase: (rest.WECHAT_API_BASE ?? 'https://api.weixin.qq.com').replace(/\/+$/, ''),
    wechatPayBase: (rest.WECHAT_PAY_BASE ?? 'https://api.mch.weixin.qq.com').replace(/\/+$/, ''),
    alipayGateway: rest.ALIPAY_GATEWAY ?? 'https://openapi.alipay.com/gateway.do',
    aliasGet: rest.ALIAS_GET,
    requestTimeoutMs: rest.REQUEST_TIMEOUT_MS,
    environment: rest.ENVIRONMENT,
    demo: PRODUCTION ? false : rest.DEMO,
    metricsToken: rest.METRICS_TOKEN,
    apiDocs: given.API_DOCS === undefined ? !PRODUCTION : rest.API_DOCS,
    fleet: PRODUCTION && given.FLEET === undefined ? 0 : rest.FLEET,
    fleetPace: rest.FLEET_PACE,
    logLevel: rest.LOG_LEVEL,
    production: PRODUCTION,
  }
}

/** Address and account apart, so that the address may be shown. */
function brokerOf(given: string | undefined): {
  mqttUrl: string | undefined
  mqttAccount: { user: string; password: string } | null
} {
  if (given === undefined) return { mqttUrl: given, mqttAccount: null }
  const address = new URL(given)
  const [user, password] = [address.username, address.password].map(decodeURIComponent) as [
    string,
    string,
  ]
  Object.assign(address, { username: '', password: '' })
  return { mqttUrl: address.href, mqttAccount: user ? { user, password } : null }
}

/** A secret made once per data folder. Two first starts at once agree: the first link wins. */
function storedSecret(dataDir: string, name: string): string {
  const path = join(dataDir, name)
  if (!existsSync(path)) {
    makeDataDir(dataDir)
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    try {
      linkSync(fresh, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(fresh, { force: true })
    }
  }
  const value = readFileSync(path, 'utf8').trim()
  if (!secret.safeParse(value).success)
    throw new Error(
      `${path} does not hold 64 hexadecimal digits: restore it from a backup, or set it by environment.`,
    )
  return value
}
