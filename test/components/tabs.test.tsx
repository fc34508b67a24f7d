import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { TabsBar } from '../../src/web/shell/TabsBar.tsx'
import { closeTabs, openTab, setDirty } from '../../src/web/shell/tabs.ts'
import { show } from './world.tsx'

const paths = ['/a', '/b', '/c', '/d']
const open = () =>
  [...document.querySelectorAll('nav [data-active]')].map((tab) =>
    tab.textContent?.replace('•', ''),
  )
const from = async (path: string, verb: string) => {
  await userEvent.click(page.getByRole('button', { name: path, exact: true }), { button: 'right' })
  await page.getByRole('menuitem', { name: verb, exact: true }).click()
}

beforeEach(async () => {
  closeTabs(paths)
  for (const path of paths) openTab(path, '')
  await show(<TabsBar />, { path: '/b' })
})

test('a tab closes those on one side of it, or all; one with unsaved changes stays', async () => {
  setDirty('/d', true)
  await from('/c', '关闭左侧')
  await expect.poll(open).toEqual(['首页', '/c', '/d'])
  // the page on the screen was closed: the tab that was asked is shown
  expect(location.pathname).toBe('/c')
  await from('/c', '关闭右侧')
  await expect.poll(open).toEqual(['首页', '/c', '/d'])
  setDirty('/d', false)
  await from('/c', '关闭右侧')
  await expect.poll(open).toEqual(['首页', '/c'])
  await from('/c', '关闭全部')
  await expect.poll(open).toEqual(['首页'])
  expect(location.pathname).toBe('/home')
})

test('the list at the end names every opened page and leads there', async () => {
  await page.getByRole('button', { name: '全部页签' }).click()
  await page.getByRole('menuitem', { name: '/d', exact: true }).click()
  await expect.poll(() => location.pathname).toBe('/d')
})
