import assert from 'node:assert/strict'
import { menus } from '../../src/domains/accounts/menus.ts'
import { screens } from '../../src/domains/product.ts'
import { test } from './flow.ts'

type Node = { name: string; path: string; title: string; hidden: boolean; children: Node[] }
type User = { username: string; role: string; is_superuser: boolean; title: string; menus: Node[] }

const further =
  'log complaint system market apk firmware ic_school_manage card_manage workbench flowers vip redpack cargoRentRtuOwner cargoRentTenent cargoTenantPlat consultation'
const operator = { product: '*', stock: '*', order: '*', data: '*', complaint: '*' }
const admin = {
  device: '*',
  ...operator,
  ...Object.fromEntries(further.split(' ').map((group) => [group, '*'])),
}
const finance = 'billing-details sub-ledger-list sub-account payment-list'

/**
 * The six samples of the specification, section 2; `*` is every page of the group that the menu
 * catalogue shows.
 */
const samples: Record<string, Record<string, string>> = {
  super: { ...admin, finance, organ: 'organ-manage organ-role' },
  admin: { ...admin, finance },
  agent: { ...admin, finance: 'billing-details' },
  operator: { ...operator, device: 'device-list', log: 'operate-log issue-notice' },
  replenisher: { stock: 'replenish waste', log: 'operate-log', complaint: '*' },
  repairer: { device: 'device-list device-create device-category' },
}
const identifiers: Record<string, string> = {
  super: 'ROLE_SUPER_ADMIN',
  admin: 'ROLE_ADMIN',
  agent: 'ROLE_RTU_AGENT',
  operator: 'ROLE_RTU_SP',
  replenisher: 'ROLE_RTU_REPLENISHER',
  repairer: 'ROLE_RTU_REPAIRER',
  sponsor: 'ROLE_SPONSOR',
  finance: 'ROLE_FINANCE',
  campus: 'ROLE_CAMPUS_CARD',
  hospital: 'ROLE_HOSPITAL_CARD',
  supplier: 'ROLE_SUPPLIER',
  tenant: 'ROLE_LANE_TENANT',
  regulator: 'ROLE_DRUG_REGULATOR',
}
/** Pages come one after the other: the sample as far as it is built. */
const paths = new Set(screens.map((screen) => screen.path))
const built = (group: string, name: string) =>
  paths.has(name === 'organ-role' ? '/system/organ-role' : `/${group}/${name}`)
const groupBuilt = (group: string, wanted: string) =>
  wanted === '*'
    ? menus.some(({ name, pages }) => name === group && pages.some(({ path }) => paths.has(path)))
    : wanted.split(' ').some((name) => built(group, name))
const shown = (nodes: readonly Node[]) => nodes.filter((node) => !node.hidden)

/**
 * Every role signs in on the page itself and finds exactly the menu the server gives it, which is
 * the sample as far as it is built.
 */
for (const [username, role] of Object.entries(identifiers)) {
  test(`${username} signs in and sees his menu`, async ({ env }) => {
    const { page } = await env.open({ path: '/login', shared: true })
    await page.getByLabel('用户名', { exact: true }).fill(username)
    await page.getByLabel('密码', { exact: true }).fill('Huodao@2026')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/home')
    const token = await page.evaluate(() => localStorage.getItem('Authorization'))
    assert.match(token ?? '', /^[\w-]{43}$/)
    const user = (await (
      await fetch(`${env.base}/auth/user`, { headers: { authorization: token as string } })
    ).json()) as User
    assert.deepEqual(
      [user.username, user.role, user.is_superuser],
      [username, role, role === 'ROLE_SUPER_ADMIN'],
    )
    assert.notEqual(user.title, '')
    const groups = shown(user.menus).map((group) => ({ ...group, children: shown(group.children) }))
    const sample = samples[username]
    if (sample) {
      const wanted = Object.entries(sample).filter(([group, names]) => groupBuilt(group, names))
      assert.deepEqual(
        groups.map((group) => group.name).toSorted(),
        wanted.map(([group]) => group).toSorted(),
      )
      for (const [name, names] of wanted) {
        if (names === '*') continue
        assert.deepEqual(
          groups.find((group) => group.name === name)?.children.map((node) => node.name),
          names.split(' ').filter((page) => built(name, page)),
        )
      }
    }
    await page.getByRole('menu').first().waitFor()
    const menu = await page
      .locator('nav > ul[role=menu] > li')
      .evaluateAll((items) =>
        items
          .slice(1)
          .map((item) =>
            [...item.querySelectorAll('[role=menuitem]')].map((entry) => entry.textContent?.trim()),
          ),
      )
    assert.deepEqual(
      menu,
      groups.map((group) => [group.title, ...group.children.map((node) => node.title)]),
    )
    await page.close()
  })
}
