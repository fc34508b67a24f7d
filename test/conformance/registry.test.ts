import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { menus } from '../../src/domains/accounts/menus.ts'
import { permissions } from '../../src/domains/accounts/permissions.ts'
import { contracts, handlers, locales, screens } from '../../src/domains/product.ts'
import { openApi } from '../../src/server/openapi.ts'
import { baseType } from '../../src/shared/contract.ts'
import { type ErrorDef, isFamily, sessionCodes } from '../../src/shared/errors.ts'
import { pageSizes } from '../../src/shared/listQuery.ts'
import type { Texts } from '../../src/shared/locale.ts'
import type { StateTable } from '../../src/shared/moves.ts'
import { say } from '../../src/shared/text.ts'
import { locale as web } from '../../src/web/locale.ts'
import { answerKeys, choicesOf, endpoints, fieldsOf, isList } from '../support/registry.ts'
import { specificationRoutes } from './routes.ts'

/** What holds for every contract, screen, error, state table and text, seen without a database. */
const known = new Set(permissions.map((p) => p.code))
const codes = (access: string) => (access.includes(':') ? [access] : [])
const chinese = /[\u3400-\u9fff]/

/** Endpoints without a session. A new one is a decision: it is added here by hand. */
const open = [
  'alerts.confirmMail',
  'boards.activate',
  'orders.mobileLanes',
  'orders.mobileOrder',
  'payments.alipayNotify',
  'payments.prepay',
  'payments.simulatorNotify',
  'payments.wechatNotify',
  'products.commodityContent',
  'referrers.bind',
  'referrers.look',
  'session.confirmScan',
  'session.login',
  'session.loginsend',
  'session.loginv',
  'session.methods',
  'session.passFactor',
  'session.passwordReset',
  'session.refuseScan',
  'session.scan',
  'session.scanIdentity',
  'session.undo',
  'withdrawals.lookConfirm',
  'workbench.wall', // the figures of a display link
]
/** Endpoints whose transaction sees all organisations: the application check is their only wall. */
const system = [
  'devices.create',
  'devices.createBatch',
  'devices.previewBatch',
  'notices.confirm',
  'notices.markRead',
  'orders.mobileLanes',
  'orders.mobileOrder',
  'payments.alipayNotify',
  'payments.prepay',
  'payments.simulatorNotify',
  'payments.wechatNotify',
  'products.commodityContent',
  'referrers.bind',
  'referrers.look',
  'replenishment.addPhoto',
  'replenishment.result',
  'settings.list',
  'settings.server',
  'withdrawals.lookConfirm',
  'workbench.wall', // reads in the scope of its link
]

/** Writes that touch something secret and ask for no proof, and why. */
const unproven = [
  'boards.unbind', // takes a machine off, gives nobody anything
  'roles.remove', // takes, gives nothing
  'session.prove', // is the proof
  'users.rejectReset', // refuses a request
]

const allHandlers = await handlers()
const paths = openApi(contracts, '/').paths as Record<
  string,
  Record<string, { operationId: string; summary: string }>
>

describe('endpoints', () => {
  it('only these are open', () =>
    expect(
      endpoints
        .filter((e) => e.endpoint.access === 'open')
        .map((e) => e.name)
        .sort(),
    ).toEqual(open))
  it('only these cross organisations', () =>
    expect(
      endpoints
        .filter((e) => e.endpoint.scope === 'system')
        .map((e) => e.name)
        .sort(),
    ).toEqual(system))
  it('ways to sign in, secrets and rights ask for a proof of the last minutes', () => {
    const secretWords = /(password|secret|recoveryCodes|activationCode|^code$)/i
    const shows = ({ endpoint }: (typeof endpoints)[number]) =>
      deepKeys(endpoint.output).some((key) => secretWords.test(key) && !/^(has|must)/.test(key))
    const takes = ({ endpoint }: (typeof endpoints)[number]) =>
      deepKeys(endpoint.input).some((key) => /(password|secret)/i.test(key) && !/^must/.test(key))
    const grants = ({ endpoint }: (typeof endpoints)[number]) =>
      /^(role:|user:assign-role|user:reset-password|user:create|org:create|main-board:bind)/.test(
        endpoint.access,
      ) || /^\/api\/me\/(phone|password|wechat-binding|second-factor|sessions)/.test(endpoint.path)
    const touching = endpoints.filter(
      (one) =>
        one.endpoint.kind === 'write' &&
        one.endpoint.access !== 'open' &&
        (shows(one) || takes(one) || grants(one)),
    )
    expect(touching.length).toBeGreaterThan(20)
    expect(
      touching
        .filter(({ endpoint }) => !endpoint.fresh)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(unproven)
  })
  it('none stands twice', () =>
    expect(
      duplicates(endpoints.map(({ endpoint }) => `${endpoint.method} ${endpoint.path}`)),
    ).toEqual([]))

  describe.each(endpoints)('$name', ({ domain, key, name, endpoint }) => {
    it('has a handler, a known permission and a place in OpenAPI', () => {
      expect(allHandlers[domain]?.[key]).toBeDefined()
      for (const code of codes(endpoint.access))
        expect(known, `${code} is not in accounts/permissions.ts`).toContain(code)
      const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()]
      expect(operation?.operationId).toBe(name)
      expect(operation?.summary).not.toBe('')
    })
    it('answers without a top-level code', () =>
      expect(answerKeys(endpoint.output)).not.toContain('code'))
    it('answers named fields only', () => expect(isLoose(endpoint.output)).toBe(false))
    it('takes exactly its fields', () => {
      const found = endpoint.input.safeParse({ surelyUnknown: 1 })
      expect(
        found.success || found.error.issues.some((issue) => issue.code === 'unrecognized_keys'),
      ).toBe(true)
      expect(found.success).toBe(false)
    })
    it('may answer each error once', () =>
      expect(duplicates(endpoint.errors.map((def) => def.name))).toEqual([]))
    if (endpoint.kind === 'write' && endpoint.audit) {
      it('has its log text in both languages', () => {
        const [area = '', text = ''] = (endpoint.audit as string).split('.')
        const zh = (locales[area]?.zh.audit as Texts | undefined)?.[text]
        const en = (locales[area]?.en.audit as Texts | undefined)?.[text]
        expect(zh, `audit.${text} in src/domains/${area}/locale.ts`).toMatch(chinese)
        expect(en).toMatch(/^[\x20-\x7e\u2010-\u2026]+$/)
      })
    }
    if (isList(endpoint)) {
      it('is a list: page 1 of 20, declared sorts, fixed page sizes', () => {
        const fields = fieldsOf(endpoint)
        const first = (name: string) => fields[name]?.safeParse(undefined)
        expect(first('page')).toMatchObject({ success: true, data: 1 })
        expect(first('pageSize')).toMatchObject({ success: true, data: 20 })
        const sorts = choicesOf(fields.sort)
        expect(sorts).toContain((first('sort') as { data: string }).data)
        for (const sort of sorts)
          expect(sorts).toContain(sort.startsWith('-') ? sort.slice(1) : `-${sort}`)
        for (const size of pageSizes) expect(fields.pageSize?.safeParse(size).success).toBe(true)
        expect(
          answerKeys(endpoint.output)
            .filter((key) => key !== 'sums' && key !== 'more')
            .sort(),
        ).toEqual(['list', 'total'])
      })
    }
  })
})

const root = '/'
const rootChildren = specificationRoutes.filter((route) => route.split('/').length === 2)
const menuPages = menus.flatMap((group) => group.pages.map((page) => page.path))

describe('screens', () => {
  it('stand once', () => expect(duplicates(screens.map((screen) => screen.path))).toEqual([]))
  it('every menu page is a route of the specification, and the other way round', () => {
    const inGroups = specificationRoutes.filter(
      (route) => route !== root && !rootChildren.includes(route),
    )
    // organ-role stands under /system in the specification's route list and under organ in its
    // menus; the page keeps its route
    expect(inGroups.filter((route) => !menuPages.includes(route))).toEqual([])
    expect(menuPages.filter((page) => !specificationRoutes.includes(page))).toEqual([])
  })
  it('every permission of a menu is known', () => {
    for (const group of menus)
      for (const page of group.pages) expect(known).toContain(page.permission)
  })

  const web = routesOfWeb()
  describe.each(screens.map((screen) => ({ ...screen })))('$path', (screen) => {
    it('has a title in both languages and a known permission', () => {
      expect(say(screen.title, 'zh-CN')).toMatch(chinese)
      expect(say(screen.title, 'en')).not.toMatch(chinese)
      expect(say(screen.title, 'en').trim()).not.toBe('')
      for (const code of codes(screen.permission)) expect(known).toContain(code)
      expect(screen.permission).not.toBe('open')
    })
    it('stands in exactly one menu group, or beside the menus', () => {
      const places = menuPages.filter((path) => path === screen.path)
      if (screen.parent) {
        expect(screens.map((other) => other.path)).toContain(screen.parent)
        expect(menuPages).toContain(screen.parent)
        expect(places).toEqual([])
      } else if (screen.permission === 'self') {
        expect(places).toEqual([])
        // what belongs to the signed-in person opens for everybody
        expect(
          [...rootChildren, '/downloads', '/subscriptions'],
          `${screen.path} is no root child of the specification`,
        ).toContain(screen.path)
      } else expect(places).toEqual([screen.path])
    })
    it('has its page in the browser', () =>
      expect(web, `${screen.path} is in no web/routes.ts`).toContain(screen.path))
  })
})

/**
 * Paths of pages the browser knows: by text, because components are .tsx and Node cannot import
 * them.
 */
function routesOfWeb(): string[] {
  return globSync('src/domains/*/web/{routes,publicRoutes}.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\s*'(\/[^']*)':/gm)].map((m) => m[1] as string),
  )
}

const modules = await Promise.all(
  ['src/shared/errors.ts', ...globSync('src/domains/*/{*ontract,errors,rules}.ts').sort()].map(
    async (file) => ({
      file,
      exports: (await import(resolve(file))) as Record<string, unknown>,
    }),
  ),
)
const isError = (value: unknown): value is ErrorDef =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'code' in value &&
  'status' in value &&
  'text' in value
const errors = [
  ...new Set(
    modules.flatMap(({ exports }) =>
      Object.values(exports).flatMap((value) =>
        isError(value)
          ? [value]
          : typeof value === 'object' && value !== null
            ? Object.values(value).filter(isError)
            : [],
      ),
    ),
  ),
]
/** The specification gives this sentence in English only. */
const oneLanguage = ['common.noPath']

/** Half-width marks beside Chinese; between digits and in what machines read they stay. */
const half =
  /[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]|\([^)]*[\u4e00-\u9fff]|[\u4e00-\u9fff]\(/
/** Days and months that a screen takes apart at their commas. */
const split = /^([一二三四五六日]|\d+月)(,([一二三四五六日]|\d+月))+$/
/** Sentences of the specification, comma included. */
const asWritten = ['登录已过期,请重新登录']
const texts = (found: unknown): string[] =>
  typeof found === 'string'
    ? [found]
    : Object.values((found ?? {}) as Record<string, unknown>).flatMap(texts)

describe('Chinese texts have Chinese punctuation', () => {
  it.each([
    ...Object.entries(locales).map(([domain, { zh }]) => [domain, texts(zh)] as const),
    ['the platform', texts(web.zh)],
    ['screens', screens.map(({ title }) => say(title, 'zh-CN'))],
    ['errors', errors.map((def) => say(def.text, 'zh-CN'))],
  ] as const)('%s', (_, found) => {
    const kept = (text: string) => split.test(text) || asWritten.includes(text)
    expect(found.filter((text) => half.test(text) && !kept(text))).toEqual([])
  })
})

describe('errors', () => {
  it('have unique names', () => expect(duplicates(errors.map((def) => def.name))).toEqual([]))
  it('have numbers of their own, beside families', () => {
    const own = errors.filter(({ code }) => !isFamily(code) && !sessionCodes.includes(code))
    const twice = duplicates(own.map(({ code }) => String(code)))
    expect(own.filter(({ code }) => twice.includes(String(code))).map(({ name }) => name)).toEqual(
      [],
    )
  })
  it('include every error an endpoint declares', () => {
    const names = new Set(errors.map((def) => def.name))
    expect(
      endpoints
        .flatMap(({ endpoint }) => endpoint.errors.map((def) => def.name))
        .filter((name) => !names.has(name)),
    ).toEqual([])
  })
  describe.each(errors)('$name', (def) => {
    it('has a number of its family', () => {
      if (sessionCodes.includes(def.code))
        return expect([def.status, def.name.startsWith('common.')]).toEqual([401, true])
      expect(String(def.code)).toMatch(/^(400|401|403|404|405|409|413|415|422|429|500|503)\d{3}$/)
      expect(def.status).toBe(Math.floor(def.code / 1000))
      expect(def.code % 1000).toBeGreaterThan(0)
    })
    it('speaks both languages', () => {
      const [zh, en] = [say(def.text, 'zh-CN'), say(def.text, 'en')]
      expect(zh.trim()).not.toBe('')
      expect(en.trim()).not.toBe('')
      if (oneLanguage.includes(def.name)) return
      expect(zh).toMatch(chinese)
      expect(en).not.toMatch(chinese)
      expect(names(zh), 'the same values in both').toEqual(names(en))
    })
  })
})
const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort()

const isTable = (value: unknown): value is StateTable =>
  typeof value === 'object' &&
  value !== null &&
  'moves' in value &&
  'column' in value &&
  'start' in value
const stateTables = modules.flatMap(({ exports }) => Object.values(exports).filter(isTable))

describe('state tables', () => {
  it('are found', () => expect(stateTables.length).toBeGreaterThanOrEqual(5))
  it.each(stateTables)('$name is reachable from its start and moves only inside', (table) => {
    const states = Object.keys(table.moves)
    expect(table.start.length).toBeGreaterThan(0)
    for (const state of [...table.start, ...Object.values(table.moves).flat()])
      expect(states).toContain(state)
    const reached = new Set<string>(table.start)
    for (let size = 0; size !== reached.size; ) {
      size = reached.size
      for (const state of [...reached])
        for (const next of table.moves[state] ?? []) reached.add(next)
    }
    expect(states.filter((state) => !reached.has(state))).toEqual([])
  })
})

describe('texts', () => {
  it('every domain with texts is collected', () => {
    const camel = (folder: string) => folder.replace(/-(\w)/g, (_, c: string) => c.toUpperCase())
    expect(
      globSync('src/domains/*/locale.ts')
        .map((file) => camel(file.split('/').at(-2) as string))
        .sort(),
    ).toEqual(Object.keys(locales).sort())
  })
  it.each(Object.entries(locales))(
    '%s: same keys, nothing empty, each in its language',
    (_, { zh, en }) => {
      const left = flatten(zh)
      const right = flatten(en as Texts)
      expect(Object.keys(right)).toEqual(Object.keys(left))
      expect(
        Object.entries({ ...left, ...right }).filter(([, text]) => text.trim() === ''),
      ).toEqual([])
      expect(Object.entries(right).filter(([, text]) => chinese.test(text))).toEqual([])
      expect(
        Object.keys(left).filter(
          (key) => String(placeholders(left[key] ?? '')) !== String(placeholders(right[key] ?? '')),
        ),
      ).toEqual([])
    },
  )
  it('no Chinese in components: it belongs into locale.ts', () => {
    // values of the outside world, not texts: the form of an approval number, the stored default
    // name of a level
    const data = /国药准字|第\$\{[\w.]+\}层/g
    const inCode = (file: string) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .some((line) => chinese.test(line.replace(/\/\/.*|\/?\*.*/, '').replace(data, '')))
    expect(globSync('src/**/*.tsx').filter(inCode)).toEqual([])
  })
  it('no markup is made of text: React and textContent escape', () => {
    const sink =
      /\b(?:inner|outer)HTML\b|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|\beval\(|new Function\(/i
    expect(
      globSync('src/**/*.{ts,tsx}').filter(
        (file) => !file.includes('.test.') && sink.test(readFileSync(file, 'utf8')),
      ),
    ).toEqual([])
  })
})

const placeholders = (text: string) =>
  [...text.matchAll(/\{\{?(\w+)\}?\}/g)].map((m) => m[1]).sort()

function flatten(texts: Texts, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[prefix + key, value]]
        : Object.entries(flatten(value, `${prefix}${key}.`)),
    ),
  )
}
/** Names of all fields of a shape, however deep. */
function deepKeys(type: z.ZodType): string[] {
  const inner = baseType(type)
  if (inner instanceof z.ZodArray) return deepKeys(inner.element as z.ZodType)
  if (inner instanceof z.ZodUnion) return (inner.options as z.ZodType[]).flatMap(deepKeys)
  if (!(inner instanceof z.ZodObject)) return []
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, value]) => [
    key,
    ...deepKeys(value),
  ])
}
/** Whether a shape lets fields through that it does not name. */
function isLoose(type: z.ZodType): boolean {
  const inner = baseType(type)
  if (inner instanceof z.ZodArray) return isLoose(inner.element as z.ZodType)
  if (inner instanceof z.ZodUnion) return (inner.options as z.ZodType[]).some(isLoose)
  if (!(inner instanceof z.ZodObject)) return inner instanceof z.ZodAny
  const { catchall } = inner.def
  return (
    (catchall !== undefined && !(catchall instanceof z.ZodNever)) ||
    Object.values(inner.shape as Record<string, z.ZodType>).some(isLoose)
  )
}
function duplicates(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
