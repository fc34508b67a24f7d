import assert from 'node:assert/strict'
import type { Flow } from './run.ts'

const accounts = [
  'super',
  'admin',
  'agent',
  'operator',
  'replenisher',
  'repairer',
  'sponsor',
  'finance',
  'campus',
  'hospital',
  'supplier',
  'tenant',
  'regulator',
]

type Node = { path: string; title: string; titleEn: string; hidden: boolean; children: Node[] }
const visible = (nodes: Node[]): string[] => nodes.filter((n) => !n.hidden).flatMap((n) => (n.children.length ? visible(n.children) : [n.title]))

/** Every role signs in on the page itself and finds exactly the menu the server gives it. */
export const flows: Flow[] = accounts.map((username) => ({
  name: `${username} signs in and sees his menu`,
  async run(env) {
    const { page, context } = await env.open({ path: '/login' })
    await page.getByLabel('用户名', { exact: true }).fill(username)
    await page.getByLabel('密码', { exact: true }).fill('Huodao@2026')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/home')
    const token = await page.evaluate(() => localStorage.getItem('Authorization'))
    assert.match(token ?? '', /^[\w-]{43}$/)
    const user = (await (await fetch(`${env.base}/auth/user`, { headers: { authorization: token as string } })).json()) as {
      menus: Node[]
      is_superuser: boolean
      role: string
    }
    assert.equal(user.is_superuser, user.role === 'ROLE_SUPER_ADMIN')
    const side = page.getByRole('navigation').first()
    await side.waitFor()
    for (const group of user.menus.filter((n) => !n.hidden)) await page.getByRole('menuitem', { name: group.title }).first().waitFor()
    const groups = await page.locator('nav [role=menuitem][aria-haspopup], nav .ant-menu-submenu-title').count()
    assert.equal(groups, user.menus.filter((n) => !n.hidden && n.children.some((c) => !c.hidden)).length, visible(user.menus).join())
    await context.close()
  },
}))
