import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import enUS from 'antd/es/locale/en_US'
import zhCN from 'antd/es/locale/zh_CN'
import { type ReactNode, useMemo } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { useLocation } from 'react-router'
import { afterEach, beforeEach, expect } from 'vitest'
import { type Locator, page } from 'vitest/browser'
import { person as session } from '../../src/shared/person.ts'
import type { Lang } from '../../src/shared/text.ts'
import { antdButton, antdTheme } from '../../src/web/antdTheme.ts'
import { queryClient } from '../../src/web/api.ts'
import { Questions } from '../../src/web/confirm.tsx'
import { HintBubble } from '../../src/web/HintBubble.tsx'
import { AppRouter } from '../../src/web/history.tsx'
import { setPrefs } from '../../src/web/prefs.ts'
import { LeaveGuard } from '../../src/web/shell/LeaveGuard.tsx'
import { setDirty, TabContext } from '../../src/web/shell/tabs.ts'
import { usePhone } from '../../src/web/shell/useWidth.ts'
import { Toasts } from '../../src/web/Toasts.tsx'
import { layout } from '../../src/web/theme.ts'

/** A request as it left the page. */
export type Asked = {
  method: string
  path: string
  query: Record<string, string>
  body: Record<string, unknown>
  key: string | null
  token: string | null
}
type Answer = (asked: Asked) => unknown
type Refusal = { readonly refused: number; readonly body: unknown }
/** A refusal as the server writes it. */
export const refused = (
  status: number,
  error: string,
  message: string,
  errors: readonly { field: string; message: string }[] = [],
): Refusal => ({
  refused: status,
  body: { code: status * 1000 + 1, error, message, requestId: 'r-12345678', errors },
})

let answers = new Map<string, Answer>()
/** What was asked, in its order. */
export let asked: Asked[] = []
export const askedOf = (call: string): Asked[] =>
  asked.filter(({ method, path }) => `${method} ${path}` === call)

/** Opens a select and takes one of its words. */
export async function choose(field: Locator, word: string): Promise<void> {
  await field.click()
  const option = () => document.querySelector(`.ant-select-item-option[title="${word}"]`)
  await expect.poll(option).not.toBeNull()
  await page.elementLocator(option() as Element).click()
}

/** From now on `GET /api/labels` is answered like this; `{id}` stands for one part of a path. */
export function answer(call: string, by: Answer): void {
  answers.set(call, by)
}

/** Answers wait until the page was looked at. */
export function held(by: Answer = () => ({})): { answer: Answer; go: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { answer: async (request) => promise.then(() => by(request)), go: () => resolve() }
}

async function reply(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const url = new URL(String(input), location.href)
  const method = init.method ?? 'GET'
  const request: Asked = {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: typeof init.body === 'string' ? JSON.parse(init.body) : {},
    key: new Headers(init.headers).get('idempotency-key'),
    token: new Headers(init.headers).get('authorization'),
  }
  asked.push(request)
  const known =
    answers.get(`${method} ${url.pathname}`) ??
    answers.get(`${method} ${url.pathname.replace(/\/\d+(?=\/|$)/, '/{id}')}`)
  const found = known
    ? await known(request)
    : refused(404, 'common.notFound', `nobody answers ${method} ${url.pathname}`)
  init.signal?.throwIfAborted()
  const { refused: status, body } = isRefusal(found) ? found : { refused: 200, body: found }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  })
}

const isRefusal = (found: unknown): found is Refusal =>
  typeof found === 'object' && found !== null && 'refused' in found

const everything = ['label:read', 'label:create', 'label:update', 'label:delete', 'label:export']
type Options = {
  path?: string
  lang?: Lang
  width?: number
  rights?: readonly string[]
  theme?: 'light' | 'dark'
}
const real = window.fetch
let root: Root | undefined

/**
 * The part below the providers of the product, in a tab of its own, for somebody who holds
 * `rights`.
 */
export async function show(
  ui: ReactNode,
  {
    path = '/labels',
    lang = 'zh-CN',
    width = 1440,
    rights = everything,
    theme = 'light',
  }: Options = {},
): Promise<void> {
  leave()
  await page.viewport(width, width < 500 ? 844 : 900)
  setPrefs({ lang, theme })
  // an entry keeps its place in the history: a step back is counted from it
  history.replaceState(history.state, '', path)
  queryClient.setQueryData(['session.user'], {
    is: 'known',
    user: {
      id: 1,
      username: 'tester',
      realName: '测试',
      permissions: rights,
      menus: [],
      orgId: 1,
      orgName: '机构',
      view: null,
    },
  })
  const box = document.body.appendChild(document.createElement('div'))
  box.id = 'root'
  box.style.height = '100vh'
  root = createRoot(box)
  root.render(
    <ConfigProvider
      locale={lang === 'en' ? enUS : zhCN}
      theme={antdTheme(theme, false, width < layout.phoneBelow)}
      button={antdButton}
    >
      <div className="hd-app" style={{ height: '100%' }}>
        <QueryClientProvider client={queryClient}>
          <AppRouter>
            <Tab>
              {/* below the messages, which are there longer than a test */}
              <main
                id="page-content"
                style={{ height: '100%', boxSizing: 'border-box', paddingTop: 64 }}
              >
                {ui}
              </main>
            </Tab>
            <Leaving />
            <Questions />
          </AppRouter>
        </QueryClientProvider>
        <Toasts />
        <HintBubble />
      </div>
    </ConfigProvider>,
  )
}
/** The tab of the page that is shown, as the shell has one. */
function Tab({ children }: { children: ReactNode }) {
  const { pathname: path } = useLocation()
  const value = useMemo(() => ({ path, active: true }), [path])
  return <TabContext value={value}>{children}</TabContext>
}
const Leaving = () => <LeaveGuard phone={usePhone()} />

beforeEach(() => {
  asked = []
  const kept: Record<string, unknown> = {}
  answers = new Map<string, Answer>([
    [`GET ${session.preferences.path}`, () => kept],
    [
      `PUT ${session.preferences.path}`,
      ({ body }) => {
        kept[String(body.key)] = body.value
        return { ok: true }
      },
    ],
  ])
  window.fetch = reply
})
afterEach(() => {
  leave()
  localStorage.clear()
  window.fetch = real
})

function leave(): void {
  root?.unmount()
  root = undefined
  document.getElementById('root')?.remove()
  queryClient.clear()
  setDirty(location.pathname, false)
}
