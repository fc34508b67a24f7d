import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { z } from 'zod'
import { alerts } from '../../src/domains/alerts/contract.ts'
import { jobs } from '../../src/domains/jobs/contract.ts'
import { exportKind } from '../../src/domains/jobs/server/exports.ts'
import { paymentConfigs } from '../../src/domains/payment-configs/contract.ts'
import { payoutAccounts } from '../../src/domains/payout-accounts/contract.ts'
import { referrers } from '../../src/domains/referrers/contract.ts'
import { runDue } from '../../src/server/work.ts'
import type { Endpoint } from '../../src/shared/contract.ts'
import { answerKeys, endpoints, isList } from '../support/registry.ts'
import { fullFor, openWorld, place, type World } from '../support/world.ts'
import { ask, readsOf } from './foreign.ts'
import { samples } from './samples.ts'

/**
 * What is written and never read: planted in every field of its kind, and looked for in every
 * answer, file, row and line of the log.
 */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
let world: World
/** By where it was planted. */
const planted = new Map<string, string>()
const said: string[] = []
const logged: string[] = []
let token: Record<string, string>

const plant = <T extends Record<string, string>>(where: string, given: T): T => {
  // of a key the part that is nobody else's
  for (const [name, secret] of Object.entries(given))
    planted.set(`${where}.${name}`, secret.includes('PRIVATE KEY') ? secret.slice(60, 120) : secret)
  return given
}
const pem = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string
const keep = async (asked: Promise<{ status: number; body: unknown }>) => {
  const answer = await asked
  said.push(Buffer.isBuffer(answer.body) ? answer.body.toString() : JSON.stringify(answer.body))
  return answer as { status: number; body: Record<string, never> & { id: number; version: number } }
}
const may = (endpoint: Endpoint, input: object, who = fullFor(endpoint)) =>
  keep(world.call(endpoint, input as never, { token: token[who] ?? '' }))
const fine = async (asked: ReturnType<typeof may>) => {
  const answer = await asked
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

beforeAll(async () => {
  world = await openWorld()
  const names = ['ROLE_FULL', 'PLATFORM_FULL', 'ROLE_SUPER_ADMIN', 'ROLE_ADMIN', 'ROLE_FINANCE']
  token = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await world.login(name)] as const)),
  )
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    vi.spyOn(world.app.log, level).mockImplementation(((...given: unknown[]) => {
      logged.push(
        given.map((one) => (one instanceof Error ? one.stack : JSON.stringify(one))).join(' '),
      )
    }) as never)
})
afterAll(() => world?.close())

it('is planted', async () => {
  const company = { orgId: place.OWN, merchantName: '植入公司', userName: '植入' }
  const aggregator = plant('configs', {
    desKey: 'PLANTEDdes0PLANTEDdes0aa',
    saltMd5Key: 'PLANTEDsaltPLANTEDsalt01',
    settleAccount: '6225880100112233',
  })
  const made = await fine(
    may(paymentConfigs.create, {
      ...company,
      ...{ systemId: 'PLANT-1', provider: 'AGGREGATOR', ...aggregator },
    }),
  )
  await may(paymentConfigs.test, { id: made.id, version: made.version })
  const renewed = plant('renewed', {
    desKey: 'PLANTEDnew0PLANTEDnew0aa',
    saltMd5Key: 'PLANTEDnewsaltPLANTED001',
  })
  const key = pem()
  // refused, and said back to nobody
  await may(paymentConfigs.create, {
    ...{ ...company, systemId: '', provider: 'ALIPAY', mchId: '1', appId: '2' },
    ...plant('refused', { privateKey: key, apiV3Key: 'PLANTEDv3PLANTEDv3PLANTEDv3PLANT' }),
  })
  const alipay = {
    ...{ systemId: 'PLANT-2', provider: 'ALIPAY', mchId: '2088001', appId: '2014001' },
    ...plant('alipay', { privateKey: pem() }),
    channelKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
      type: 'spki',
      format: 'pem',
    }) as string,
  }
  await fine(may(paymentConfigs.create, { ...company, ...alipay }))
  const { list } = (await may(paymentConfigs.list, { id: made.id })).body as never as {
    list: { version: number }[]
  }
  const version = list[0]?.version ?? 0
  await fine(may(paymentConfigs.secrets, { id: made.id, version, ...renewed }))
  const account = plant('accounts', { accountNo: '6222021001122334455' })
  const bank = { method: 'BANK', holder: '机构OWN', bankName: '银行', ...account }
  const kept = await fine(may(payoutAccounts.create, bank, 'ROLE_FULL'))
  const edited = plant('accounts.edited', { accountNo: '6222021001999988877' })
  const of = { id: kept.id, version: kept.version }
  await fine(may(payoutAccounts.update, { ...bank, ...of, ...edited }, 'ROLE_FULL'))
  const person = plant('referrers', { mobile: '13877776666', idName: '欧阳植入者' })
  const referrer = await fine(
    may(referrers.create, { referrerName: '推荐甲', receiveKind: 'PERSONAL', ...person }),
  )
  await may(referrers.create, { referrerName: '推荐乙', receiveKind: 'PERSONAL', ...person })
  const other = plant('referrers.edited', { mobile: '13877775555', idName: '司马植入人' })
  const named = { id: referrer.id, version: referrer.version, referrerName: '推荐甲' }
  await fine(may(referrers.update, { ...named, receiveKind: 'PERSONAL', ...other }))
  const hook = { name: '植入', type: 'WEBHOOK', url: 'https://1.1.1.1/x' }
  const channel = await fine(
    may(alerts.createChannel, {
      ...hook,
      ...plant('webhooks', { secret: 'PLANTEDhookPLANTED01' }),
    }),
  )
  const again = plant('webhooks.edited', { secret: 'PLANTEDhookPLANTED02' })
  const { type: _, ...fields } = hook
  await fine(may(alerts.updateChannel, { ...fields, id: channel.id, version: 1, ...again }))
  await may(alerts.saveMailServer, {
    ...{ host: 'mail.example.com', port: 465, sender: 'a@b.cn', user: 'a' },
    ...plant('mail', { password: 'PLANTEDmailPLANTED01' }),
  })
})

const rowKeys = ({ output }: Endpoint): string[] => {
  const list = (output as z.ZodObject<{ list: z.ZodArray<z.ZodObject> }>).shape.list
  return answerKeys(list.element)
}
it('is in no file that is exported', async () => {
  let files = 0
  const headers = { authorization: token.ROLE_FULL ?? '' }
  for (const { endpoint } of endpoints) {
    if (endpoint.kind !== 'read' || !endpoint.export) continue
    // whatever may be a column is one; the refusal names those that are none
    let columns = rowKeys(endpoint)
    for (let tries = 0; tries < 8 && columns.length; tries += 1) {
      const asked = { endpoint: endpoint.path, query: {}, columns }
      const { status, body } = await may(jobs.export, asked, 'ROLE_FULL')
      if (status !== 200) {
        const { message } = body as unknown as { message: string }
        const none = new Set(message.split(/[^A-Za-z0-9]+/))
        const left = columns.filter((key) => !none.has(key))
        if (left.length === columns.length) break
        columns = left
        continue
      }
      for (const kind of ['quick', 'large'] as const)
        while (await runDue(world.app, exportKind(world.app, kind)));
      const file = await world.http.inject({ url: `/api/jobs/${body.id}/file`, headers })
      if (file.statusCode !== 200) break
      said.push(JSON.stringify((await readXlsx(file.rawPayload)).sheets))
      files += 1
      break
    }
  }
  expect(files).toBeGreaterThan(20)
})

/** Shows one whole number to whoever transfers it by hand, proven and logged: of another account. */
const shows = new Set(['withdrawals.account'])
it('is in no answer of any endpoint', async () => {
  const asked = endpoints.filter(
    ({ endpoint, name }) =>
      endpoint.access !== 'open' && !endpoint.upload && !endpoint.signed && !shows.has(name),
  )
  for (const entry of asked) {
    const [input] = entry.endpoint.kind === 'read' ? readsOf(entry, world) : []
    if (!input) continue
    const whole = isList(entry.endpoint) ? { ...input, pageSize: 200 } : input
    for (const who of ['ROLE_FULL', 'PLATFORM_FULL'] as const)
      await ask(world, entry, whole, token[who] ?? '').then(note)
  }
  // and behind them acts, which stop, close and sign out what others need
  let written = 0
  for (const entry of asked) {
    if (entry.endpoint.kind !== 'write') continue
    // what an act before it stopped or closed may leave nothing to act on
    const sample = await samples[entry.name]?.(world).catch(() => null)
    if (!sample) continue
    await ask(world, entry, sample, token[fullFor(entry.endpoint)] ?? '').then(note)
    written += 1
  }
  expect(written).toBeGreaterThan(200)
  expect(said.length).toBeGreaterThan(500)
  expect(said.join('\n')).toContain('植入公司')
})
const note = ({ body }: { body: unknown }) =>
  void said.push(Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body))

it('is in no row, log row, file and line of the log', async () => {
  const tables = await world.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const places: [string, string][] = [
    ['answer', said.join('\n')],
    ['log', logged.join('\n')],
  ]
  for (const { name } of tables) {
    const [row] = await world.sql<{ text: string }>(
      `select coalesce(string_agg(t::text, ' '), '') as text from ${name} t`,
    )
    places.push([name, row?.text ?? ''])
  }
  const { dataDir } = world.app.config
  for (const file of readdirSync(dataDir, { recursive: true }) as string[])
    if (statSync(join(dataDir, file)).isFile())
      places.push([file, readFileSync(join(dataDir, file), 'latin1')])
  expect(logged.length).toBeGreaterThan(0)
  const found = [...planted].flatMap(([name, secret]) =>
    places.flatMap(([where, text]) =>
      text.includes(secret) || text.includes(Buffer.from(secret).toString('hex'))
        ? [`${name} in ${where}`]
        : [],
    ),
  )
  expect(found).toEqual([])
})
