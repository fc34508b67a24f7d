import { useState } from 'react'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { OneOrganisation, OwnerSelect } from '../../src/domains/accounts/web/pickers.tsx'
import { OptionSelect } from '../../src/web/OptionSelect.tsx'
import { TreePick } from '../../src/web/TreePick.tsx'
import { onDemand, onTouch } from '../../src/web/ui/onDemand.tsx'
import { Select } from '../../src/web/ui/parts.ts'
import { labels } from './labels.tsx'
import { answer, askedOf, held, refused, show } from './world.tsx'

const field = page.getByRole('combobox')
const chosen = () =>
  document.querySelector('.ant-select-content, .ant-select-selector')?.textContent?.trim() ?? ''
const options = () =>
  [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent)
let value: number | null | undefined

function Pick({
  start,
  searched = true,
  input,
}: {
  start?: number
  searched?: boolean
  input?: null
}) {
  const [held, setHeld] = useState<number | null | undefined>(start)
  value = held
  return (
    <OptionSelect
      from={searched ? labels.options : labels.short}
      value={held}
      onChange={setHeld}
      text={(row: { name: string }) => row.name}
      label="标签"
      {...(input === null ? { input } : {})}
    />
  )
}
const named = (...names: string[]) => ({ list: names.map((name, n) => ({ id: n + 1, name })) })

test('what is typed is searched once it rests, and chosen by keyboard', async () => {
  answer('GET /api/labels/options', ({ query }) =>
    query.keyword ? named('货架甲', '货架乙') : named('全部'),
  )
  await show(<Pick />)
  await field.click()
  await userEvent.keyboard('货架')
  await expect.poll(options).toEqual(['货架甲', '货架乙'])
  expect(askedOf('GET /api/labels/options').map(({ query }) => query.keyword)).toEqual([
    undefined,
    '货架',
  ])
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.poll(() => value).toBe(2)
  await expect.poll(chosen).toContain('货架乙')
})

test('a chosen row is asked for by its id, so that it has a name wherever it stands; never its number', async () => {
  const late = held(({ query }) => ({
    list: query.id === '77' ? [{ id: 77, name: '第七十七' }] : [],
  }))
  answer('GET /api/labels/short', late.answer)
  answer('GET /api/labels/options', ({ query }) => ({
    list: query.id === '77' ? [{ id: 77, name: '第七十七' }] : [],
  }))
  await show(<Pick start={77} />)
  await expect.poll(chosen).toContain('第七十七')
})

test('a list that is not searched waits for its names before it shows what is chosen', async () => {
  const late = held(() => named('甲', '乙'))
  answer('GET /api/labels/short', late.answer)
  await show(<Pick start={2} searched={false} />)
  await expect.element(field).toBeVisible()
  expect(chosen()).not.toContain('2')
  late.go()
  await expect.poll(chosen).toContain('乙')
  await field.click()
  await userEvent.keyboard('甲')
  await expect.poll(options).toEqual(['甲'])
  expect(askedOf('GET /api/labels/short')).toHaveLength(1)
})

test('taken away it is nothing, not undefined', async () => {
  answer('GET /api/labels/short', () => named('甲'))
  await show(<Pick start={1} searched={false} />)
  await expect.poll(chosen).toContain('甲')
  await userEvent.hover(field)
  await page.elementLocator(document.querySelector('.ant-select-clear') as Element).click()
  await expect.poll(() => value).toBe(null)
})

test('with nothing to choose from it is closed and asks nobody; without an answer it says so', async () => {
  await show(<Pick input={null} />)
  await expect.element(field).toBeDisabled()
  expect(askedOf('GET /api/labels/options')).toEqual([])
})
test('options that cannot be read are said once', async () => {
  answer('GET /api/labels/options', () => refused(500, 'common.unexpected', '选项读不出来'))
  await show(<Pick />)
  await expect.element(page.getByText('选项读不出来')).toBeVisible()
})

const tree = [
  { id: 1, parentId: null, name: '平台' },
  { id: 2, parentId: 1, name: '华南代理' },
  { id: 3, parentId: 2, name: '校园运营' },
  { id: 4, parentId: 1, name: '华东代理' },
]
const node = (name: string) =>
  document.querySelector(`.ant-select-tree-treenode:has([title="${name}"])`)
test('a branch cannot be moved below itself: it and all below it are closed', async () => {
  const picked: (number | null)[] = []
  await show(
    <TreePick rows={tree} loading={false} without={2} onChange={(id) => picked.push(id)} />,
  )
  await field.click()
  await page.getByTitle('华东代理').click()
  expect(picked).toEqual([4])
  await field.click()
  await userEvent.keyboard('运营')
  for (const closed of ['华南代理', '校园运营'])
    await expect.poll(() => node(closed)?.className ?? '').toContain('disabled')
})
test('a tree finds what stands deep, and shows its words', async () => {
  await show(<TreePick rows={tree} loading={false} value={3} />)
  await expect.poll(chosen).toContain('校园运营')
  await field.click()
  await userEvent.keyboard('校园')
  await expect.poll(() => node('校园运营')).not.toBeNull()
  expect(node('华东代理')).toBeNull()
})

/** A field whose code is still on its way, between two others. */
async function showLate() {
  const { promise, resolve } = Promise.withResolvers<typeof Select>()
  const left: string[] = []
  const Late = onTouch(
    onDemand<Parameters<typeof Select>[0]>(() => promise as never) as never,
    'select',
    () => [],
  )
  await show(
    <>
      <button type="button">前</button>
      <Late
        {...({
          options: [
            { value: 1, label: '甲' },
            { value: 2, label: '乙' },
          ],
          showSearch: { optionFilterProp: 'label' },
          'aria-label': '选',
          onBlur: () => left.push('选'),
        } as object)}
      />
      <button type="button">后</button>
    </>,
  )
  await page.getByRole('button', { name: '前' }).click()
  await userEvent.tab()
  return { come: () => resolve(Select), left }
}
const arrived = () => document.querySelector('.hd-fake') === null

test('a field one only passes stays where it is when its code comes, and is left like any other', async () => {
  const { come, left } = await showLate()
  come()
  await expect.element(field).toHaveFocus()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: '后' })).toHaveFocus()
  expect(left).toEqual(['选'])
  await userEvent.tab({ shift: true })
  await expect.element(field).toHaveFocus()
})
test('a field that was opened and left before its code came takes the focus from nobody', async () => {
  const { come } = await showLate()
  await userEvent.keyboard('{ArrowDown}')
  await userEvent.tab()
  come()
  await expect.poll(arrived).toBe(true)
  await expect.element(page.getByRole('button', { name: '后' })).toHaveFocus()
  expect(options()).toEqual([])
})
test('a field opened before its code came opens when it is there; what is typed onDemand is searched', async () => {
  const { come } = await showLate()
  await userEvent.keyboard('{Enter}')
  come()
  await expect.poll(options).toEqual(['甲', '乙'])
  await expect.element(field).toHaveFocus()
  await userEvent.keyboard('乙')
  await expect.poll(options).toEqual(['乙'])
})
test('what is typed into a field whose code has come is searched from the first letter', async () => {
  const { come } = await showLate()
  come()
  await new Promise((done) => setTimeout(done))
  await userEvent.keyboard('b{Backspace}乙')
  await expect.poll(options).toEqual(['乙'])
})

test('machines are of owners; money is of anybody, also of sponsors and tenants', async () => {
  const kinds = ['PLATFORM', 'AGENT', 'OPERATOR', 'SPONSOR', 'LANE_TENANT']
  answer('GET /api/organisations/options', () => ({
    list: kinds.map((kind, n) => ({ id: n + 1, name: kind, kind })),
  }))
  await show(
    <>
      <OwnerSelect placeholder="归谁" />
      <OneOrganisation placeholder="欠谁" />
    </>,
  )
  await page.getByRole('combobox').first().click()
  await expect.poll(options).toEqual(['PLATFORM', 'AGENT', 'OPERATOR'])
  await userEvent.keyboard('{Escape}')
  await page.getByRole('combobox').last().click()
  await expect.poll(() => options().slice(-5)).toEqual(kinds)
})
