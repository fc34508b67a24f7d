import { expect, test } from 'vitest'
import { commands, page, userEvent } from 'vitest/browser'
import { z } from 'zod'
import { useCols } from '../../src/web/columns.tsx'
import { ListPage } from '../../src/web/ListPage.tsx'
import { OrderHandle } from '../../src/web/list/OrderHandle.tsx'
import { keepLabels, LabelList, LabelRow, label, labels } from './labels.tsx'
import { answer, asked, askedOf, choose, held, refused, show } from './world.tsx'

const list = 'GET /api/labels'
const rows = () => document.querySelectorAll('tr[data-row-key]')
const cell = (text: string) => page.getByRole('cell', { name: text, exact: true })
const button = (name: string | RegExp) => page.getByRole('button', { name })
const many = (n: number) =>
  Array.from({ length: n }, (_, i) => label(i + 1, { kind: i % 2 ? 'DOOR' : 'SHELF' }))
/** How many pixels of the table stand beyond its right edge. */
const over = () => {
  const body = document.querySelector('[data-rows]')
  return body ? body.scrollWidth - body.clientWidth : Number.NaN
}

test('a list that takes its time shows where lines will stand, then the rows', async () => {
  const late = held(() => ({ list: [label(1)], total: 1 }))
  answer(list, late.answer)
  await show(<LabelList />)
  await expect.poll(() => document.querySelector('[aria-busy=true]')).not.toBeNull()
  late.go()
  await expect.element(cell('标签1')).toBeVisible()
  expect(document.querySelector('[aria-busy=true]')).toBeNull()
})

test('a value is drawn as its field says: money, state with its shape, yes and no, nothing as a dash', async () => {
  keepLabels([label(1, { kind: 'DOOR', price: 123456, count: null })])
  await show(<LabelList />)
  await expect.element(cell('¥1,234.56')).toBeVisible()
  await expect.element(cell('否')).toBeVisible()
  expect(cell('柜门').element().querySelector('[data-tone=fault] svg')).not.toBeNull()
  // neither a count nor a remark
  expect(page.getByRole('cell', { name: '—', exact: true }).elements()).toHaveLength(2)
})

test('an empty list says what is missing and offers to add it, to who may', async () => {
  keepLabels([])
  await show(<LabelList />)
  await expect.element(page.getByRole('heading', { name: '还没有标签' })).toBeVisible()
  await expect.element(button('新增标签').first()).toBeVisible()
  await expect.element(page.getByText('共 0 条')).toBeVisible()
})

test('who may only read has neither the button that adds nor an act in a row', async () => {
  keepLabels([label(1, { can: { update: false, delete: false } })])
  await show(<LabelList />, { rights: ['label:read'] })
  await expect.element(cell('标签1')).toBeVisible()
  for (const name of ['新增标签', '编辑', '更多', /^导出/])
    expect(button(name).elements()).toEqual([])
})

test('a list that cannot be read says why, with the trace number, and tries again', async () => {
  answer(list, () => refused(500, 'common.unexpected', '数据库不在家'))
  await show(<LabelList />)
  const problem = page.getByRole('alert').filter({ hasText: '价格标签加载失败' })
  await expect.element(problem).toMatchTextContent('数据库不在家 追踪号 r-1234567')
  keepLabels([label(1)])
  await button('重试').click()
  await expect.element(cell('标签1')).toBeVisible()
  await expect.element(problem).not.toBeInTheDocument()
})

test('a refresh that fails keeps the rows and says that they may be old', async () => {
  keepLabels([label(1)])
  await show(<LabelList />)
  await expect.element(cell('标签1')).toBeVisible()
  answer(list, () => refused(503, 'common.busy', '系统忙'))
  await button('刷新').click()
  await expect
    .element(page.getByRole('alert').filter({ hasText: '数据未能刷新: 系统忙' }))
    .toBeVisible()
  expect(rows()).toHaveLength(1)
})

test('a filter stands in the address and starts at the first page; without rows it says which one and lets go of it', async () => {
  const kept = keepLabels(many(45).filter((row) => row.kind === 'SHELF' || row.id < 40))
  await show(<LabelList />, { path: '/labels?page=2' })
  await expect.element(page.getByText(`共 ${kept.length} 条`)).toBeVisible()
  await choose(page.getByRole('combobox', { name: '种类' }), '柜门')
  await expect.poll(() => location.search).toBe('?kind=DOOR')
  kept.length = 0
  await button('刷新').click()
  await expect.element(page.getByText('没有符合条件的数据')).toBeVisible()
  await expect.element(page.getByText('筛选条件：种类')).toBeVisible()
  await button('清空筛选').click()
  await expect.poll(() => location.search).toBe('')
})

test('a search goes out on Enter, never while somebody types; stepping back takes it away', async () => {
  keepLabels(many(30))
  await show(<LabelList />)
  await expect.element(cell('标签1')).toBeVisible()
  const field = page.getByRole('textbox', { name: '关键字' })
  await field.fill('标签2')
  await new Promise((done) => setTimeout(done, 400))
  expect(askedOf(list)).toHaveLength(1)
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('共 11 条')).toBeVisible()
  expect(askedOf(list).at(-1)?.query.keyword).toBe('标签2')
  history.back()
  await expect.element(page.getByText('共 30 条')).toBeVisible()
  await expect.element(field).toHaveValue('')
})

test('an old or mistyped address still shows a list', async () => {
  keepLabels(many(3))
  await show(<LabelList />, { path: '/labels?kind=NEVER&page=x&pageSize=7&detail=2' })
  await expect.element(cell('标签1')).toBeVisible()
  expect(askedOf(list)[0]?.query).toEqual({ page: '1', pageSize: '20', sort: '-createTime' })
})

test('heads of sortable columns sort up, down and not at all, by keyboard too', async () => {
  keepLabels(many(3))
  await show(<LabelList />)
  const head = page.getByRole('columnheader', { name: '价格' })
  await head.click()
  await expect.poll(() => location.search).toBe('?sort=price')
  await expect.element(head).toHaveAttribute('aria-sort', 'ascending')
  ;(head.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => location.search).toBe('?sort=-price')
  await head.click()
  await expect.poll(() => location.search).toBe('')
  expect(
    page.getByRole('columnheader', { name: '数量' }).element().getAttribute('aria-sort'),
  ).toBeNull()
})

test('pages turn by keyboard; another page size starts at the first', async () => {
  keepLabels(many(45))
  await show(<LabelList />)
  await expect.poll(() => rows().length).toBe(20)
  ;(
    page
      .getByRole('navigation')
      .getByRole('button', { name: '3', exact: true })
      .element() as HTMLElement
  ).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => rows().length).toBe(5)
  expect(location.search).toBe('?page=3')
  await page.getByRole('combobox', { name: '每页条数' }).click()
  await page.getByRole('option', { name: /^50/ }).click()
  await expect.poll(() => rows().length).toBe(45)
  expect(location.search).toBe('?pageSize=50')
})

test('money is asked in yuan: what is no amount asks nothing', async () => {
  keepLabels([label(1, { price: 350 }), label(2, { price: 1200 })])
  await show(<LabelList filters={['priceFrom']} />)
  const least = page.getByRole('textbox', { name: '最低价格' })
  await least.fill('12')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('标签1')).not.toBeInTheDocument()
  expect(askedOf('GET /api/labels').at(-1)?.query.priceFrom).toBe('1200')
  await expect.element(least).toHaveValue('12.00')
  await least.fill('zwölf')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('标签1')).toBeVisible()
})

test('views of an enum filter by one press, and the pressed one says so', async () => {
  keepLabels(many(4))
  await show(<LabelList views="kind" />)
  const views = page.getByRole('group', { name: '快捷视图' })
  await expect
    .element(views.getByRole('button', { name: '全部' }))
    .toHaveAttribute('aria-pressed', 'true')
  await views.getByRole('button', { name: '柜门' }).click()
  await expect.element(page.getByText('共 2 条')).toBeVisible()
  await expect
    .element(views.getByRole('button', { name: '柜门' }))
    .toHaveAttribute('aria-pressed', 'true')
})

test('rows stay chosen over pages, all of the filter can be, and the act gets them', async () => {
  keepLabels(many(45))
  const got: (string | number)[] = []
  await show(
    <LabelList
      batch={[{ key: 'print', label: '打印', onClick: ({ keys }) => got.push(...keys) }]}
    />,
  )
  await page.getByRole('checkbox').nth(1).click()
  await page.getByRole('navigation').getByRole('button', { name: '2', exact: true }).click()
  await expect.element(cell('标签21')).toBeVisible()
  await page.getByRole('checkbox').nth(1).click()
  await expect.element(page.getByRole('toolbar', { name: '已选 2 条' })).toBeVisible()
  await button('打印').click()
  expect(got).toEqual([1, 21])
  await button('选择全部 45 条').click()
  await expect.element(page.getByRole('toolbar', { name: '已选 45 条' })).toBeVisible()
  await button('取消选择').click()
  await expect.element(page.getByRole('toolbar')).not.toBeInTheDocument()
})

test('rows chosen in one view or filter are not acted on in another', async () => {
  keepLabels(many(6))
  await show(<LabelList views="kind" batch={[{ key: 'print', label: '打印', onClick() {} }]} />)
  const views = page.getByRole('group', { name: '快捷视图' })
  const bar = page.getByRole('toolbar')
  await page.getByRole('checkbox').nth(1).click()
  await expect.element(page.getByRole('toolbar', { name: '已选 1 条' })).toBeVisible()
  await views.getByRole('button', { name: '柜门' }).click()
  await expect.element(cell('标签2')).toBeVisible()
  await expect.element(bar).not.toBeInTheDocument()
  await page.getByRole('checkbox').nth(1).click()
  await page.getByRole('checkbox').nth(2).click()
  await expect.element(page.getByRole('toolbar', { name: '已选 2 条' })).toBeVisible()
  await views.getByRole('button', { name: '货架' }).click()
  await expect.element(bar).not.toBeInTheDocument()
  // of one view it is the same list, whatever its order
  await page.getByRole('checkbox').nth(1).click()
  await page.getByRole('columnheader', { name: '名称' }).click()
  await expect.element(page.getByRole('toolbar', { name: '已选 1 条' })).toBeVisible()
})

test('columns are hidden and moved, and the server keeps it for this person', async () => {
  keepLabels(many(2))
  await show(<LabelList />)
  await expect.element(cell('标签1')).toBeVisible()
  await button('列设置').click()
  await page.getByRole('checkbox', { name: '数量' }).click()
  await expect.element(page.getByRole('columnheader', { name: '数量' })).not.toBeInTheDocument()
  await button('上移 价格').click()
  await expect.poll(() => askedOf('PUT /api/me/preferences').length).toBe(2)
  const [, last] = askedOf('PUT /api/me/preferences').map(
    ({ body }) => body as { key: string; value: { hidden: string[]; order: string[] } },
  )
  expect([last?.key, last?.value.hidden, last?.value.order.slice(0, 3)]).toEqual([
    'columns:/labels',
    ['count'],
    ['name', 'price', 'kind'],
  ])
})

test('a row opens beside its list, neighbours are a key away, Escape leads back', async () => {
  keepLabels(many(3))
  const Beside = ({
    id,
    onClose,
    onNext,
  }: {
    id: string
    onClose: () => void
    onNext?: (() => void) | undefined
  }) => (
    <dialog open>
      第 {id} 张
      <button type="button" onClick={onNext} disabled={!onNext}>
        下一张
      </button>
      <button type="button" onClick={onClose}>
        合上
      </button>
    </dialog>
  )
  await show(<LabelList detail={Beside} />, { path: '/labels?detail=2' })
  await expect.element(page.getByText('第 2 张')).toBeVisible()
  await expect.element(button('下一张')).toBeEnabled()
  await button('下一张').click()
  await expect.element(page.getByText('第 3 张')).toBeVisible()
  await expect.element(button('下一张')).toBeDisabled()
  await button('合上').click()
  await expect.poll(() => location.search).toBe('')
  await cell('标签1').dblClick()
  await expect.element(page.getByText('第 1 张')).toBeVisible()
})

test('what somebody else changed is tinted for a moment', async () => {
  const kept = keepLabels(many(2))
  await show(<LabelList />)
  await expect.element(cell('标签1')).toBeVisible()
  kept[1] = label(2, { name: '换过的' })
  await button('刷新').click()
  await expect
    .poll(() => document.querySelector('tr[class*=changed]')?.textContent)
    .toContain('换过的')
  await expect
    .poll(() => document.querySelectorAll('tr[class*=changed]').length, { timeout: 3000 })
    .toBe(0)
})

test('a list is written to a file with its filter and the columns shown', async () => {
  keepLabels(many(4))
  answer('POST /api/exports', () => refused(409, 'jobs.busy', '请稍候'))
  await show(<LabelList />, { path: '/labels?kind=DOOR' })
  await expect.element(page.getByText('共 2 条')).toBeVisible()
  await button('导出 2 条').click()
  await expect.poll(() => asked.some(({ method }) => method === 'POST')).toBe(true)
  const { body } = asked.find(({ method }) => method === 'POST') ?? {}
  expect(body).toMatchObject({
    endpoint: '/api/labels',
    query: { kind: 'DOOR' },
    columns: ['name', 'kind', 'price', 'count', 'printed', 'remark', 'createTime'],
  })
})

test.each([
  ['zh-CN', 960],
  ['en', 960],
  ['zh-CN', 860],
] as const)(
  'long texts give way so that all columns stand in the list: %s, %i px',
  async (lang, width) => {
    keepLabels([
      label(1, { name: '一个特别特别特别特别长的标签名称啊', remark: 'x'.repeat(60) }),
      label(2),
    ])
    await show(<LabelList />, { lang, width })
    await expect.element(page.getByText('标签2', { exact: true })).toBeVisible()
    await expect.poll(over).toBeLessThanOrEqual(1)
    const heads = page.getByRole('columnheader').elements()
    expect(heads).toHaveLength(8)
    for (const head of heads) {
      const inner = head.querySelector('button span') ?? head
      expect(inner.scrollWidth, head.textContent ?? '').toBeLessThanOrEqual(inner.clientWidth + 1)
    }
  },
)

test('a list that cannot fit scrolls below its first column and its acts', async () => {
  keepLabels([label(1, { name: '一个特别特别特别特别长的标签名称啊' })])
  const Wide = () => {
    const col = useCols(LabelRow, 'labels')
    return (
      <LabelList
        columns={[
          col('name'),
          ...(['kind', 'price', 'count', 'remark'] as const).map((key) => col(key, { width: 240 })),
        ]}
      />
    )
  }
  await show(<Wide />, { width: 800 })
  const edit = button('编辑')
  await expect.element(edit).toBeVisible()
  expect(over()).toBeGreaterThan(100)
  document.querySelector('[data-rows]')?.scrollTo({ left: 400 })
  await expect.element(edit).toBeInViewport()
  await expect.element(page.getByText('一个特别特别特别特别长的标签名称啊')).toBeInViewport()
})

test('a share is as wide as it is shown', async () => {
  keepLabels([label(1, { count: -504 })])
  const Shares = z.strictObject({
    ...LabelRow.shape,
    count: z.number().int().meta({ unit: 'permille' }),
  })
  function Some() {
    const col = useCols(Shares, 'labels')
    const share = col('count')
    const columns = [...'abcdefghijkl'].map((key) => ({
      ...share,
      key,
      fit: (_: unknown, row: LabelRow) => share.fit?.(row.count, row as never) ?? '',
      render: (_: unknown, row: LabelRow) => share.render?.(row.count, row as never, 0) as never,
    }))
    return <LabelList columns={columns as never} />
  }
  await show(<Some />, { width: 800 })
  const shown = cell('\u221250.4%').first()
  await expect.element(shown).toBeVisible()
  expect(shown.element().scrollWidth).toBeLessThanOrEqual(shown.element().clientWidth)
})

test('on a phone a row is a card with name, state, facts and acts, and filters come from below', async () => {
  keepLabels([label(1, { remark: '在门口' }), label(2, { kind: 'DOOR' })])
  await show(<LabelList />, { width: 390 })
  const card = page.getByRole('article').first()
  await expect.element(card).toMatchTextContent(/标签1.*在门口.*货架.*价格 ¥3.50.*数量 3/)
  expect(page.getByRole('table').elements()).toEqual([])
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  await card.getByRole('button', { name: '编辑' }).click()
  await expect.element(page.getByRole('dialog')).toMatchTextContent('编辑标签')
  await page.getByRole('dialog').getByRole('button', { name: '取消' }).click()
  await button('筛选').click()
  const fields = () => [
    ...document.querySelectorAll(
      '.ant-drawer :is(.ant-select, .ant-picker, .ant-input-affix-wrapper)',
    ),
  ]
  await expect.poll(() => fields().length).toBeGreaterThan(0)
  const middle = (box: DOMRect) => box.top + box.height / 2
  for (const field of fields()) {
    const box = field.getBoundingClientRect()
    const words = field.querySelector('.hd-fake-text, .ant-select-content, input') as Element
    expect([field.className, box.height]).toEqual([field.className, 44])
    expect(Math.abs(middle(words.getBoundingClientRect()) - middle(box))).toBeLessThan(2)
  }
  await choose(page.getByRole('dialog').getByRole('combobox', { name: '种类' }), '柜门')
  await page.getByRole('dialog').getByRole('button', { name: '查看结果' }).click()
  await expect.poll(() => page.getByRole('article').elements().length).toBe(1)
})

test('what one presses on a phone is 44 px high and wide, on the list and in its form', async () => {
  keepLabels(many(45))
  await show(<LabelList views="kind" />, { width: 390 })
  const small = (within: ParentNode) =>
    [...within.querySelectorAll('button:not([role=switch]), a[href], [role=combobox], input')]
      .map((one) => one.closest('.ant-select, .ant-input-affix-wrapper') ?? one)
      .filter((one) => one.checkVisibility())
      .map((one) => [one.textContent, one.getBoundingClientRect()] as const)
      .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
      .map(([name, { width, height }]) => `${name} ${width}x${height}`)
  await expect.element(page.getByRole('article').first()).toBeVisible()
  expect(small(document)).toEqual([])
  await page.getByRole('article').first().getByRole('button', { name: '编辑' }).click()
  await expect.element(page.getByLabelText('名称')).toBeVisible()
  // it grows while it opens
  await expect.poll(() => small(document.querySelector('[role=dialog]') as Element)).toEqual([])
})

test('a card says what it is called once, and ends with its last line where nothing can be done', async () => {
  keepLabels([label(1, { can: { update: false, delete: false } })])
  await show(<LabelList card={['name', 'price', 'count']} />, {
    width: 390,
    rights: ['label:read'],
  })
  const card = page.getByRole('article')
  await expect.element(card).toMatchTextContent(/^标签1货架价格 ¥3.50数量 3$/)
  const [box, last] = [card.element(), card.getByText('数量').element()]
  const room = box.getBoundingClientRect().bottom - last.getBoundingClientRect().bottom
  expect(room).toBeLessThan(24)
})

test('with reduced motion what opens stands beside what opened it, at once', async () => {
  await commands.media({ reducedMotion: 'reduce' })
  keepLabels(many(2))
  await show(<LabelList />)
  const opener = page.getByRole('combobox', { name: '种类' })
  await opener.click()
  await expect.element(page.getByRole('option', { name: '柜门' }).first()).toBeInTheDocument()
  await expect
    .poll(() => {
      const box = [...document.querySelectorAll('.ant-select-dropdown')]
        .at(-1)
        ?.getBoundingClientRect()
      const field = opener.element().closest('.ant-select')?.getBoundingClientRect()
      return box && field
        ? box.height > 0 &&
            Math.abs(box.top - field.bottom) < 12 &&
            Math.abs(box.left - field.left) < 12
        : false
    })
    .toBe(true)
  await commands.media({ reducedMotion: 'no-preference' })
})

test('English says everything in English', async () => {
  keepLabels([label(1, { kind: 'DOOR', printed: true })])
  await show(<LabelList />, { lang: 'en' })
  await expect.element(cell('Door')).toBeVisible()
  await expect.element(cell('Yes')).toBeVisible()
  await expect.element(page.getByText('1 row', { exact: true })).toBeVisible()
  await expect.element(button('New label')).toBeVisible()
  expect(
    document
      .getElementById('page-content')
      ?.textContent?.replaceAll('标签1', '')
      .replace('价格标签', ''),
  ).not.toMatch(/\p{Script=Han}/u)
})

test('a column of somebody who may not see it is left out', async () => {
  keepLabels([label(1)])
  function Some() {
    const col = useCols(LabelRow, 'labels')
    return (
      <LabelList
        columns={[col('name'), false, col('price', { link: (row) => `/labels/${row.id}` })]}
        records={{ ...labels, get: undefined as never }}
      />
    )
  }
  await show(<Some />)
  await expect
    .element(page.getByRole('link', { name: '¥3.50' }))
    .toHaveAttribute('href', '/labels/1')
  expect(page.getByRole('columnheader').elements()).toHaveLength(3)
})

test('a row is put in another place by keys and by hand, at once and once', async () => {
  keepLabels(many(4))
  const put: unknown[] = []
  function Sorted() {
    const col = useCols(LabelRow, 'labels')
    return (
      <ListPage
        ns="labels"
        endpoint={labels.list}
        columns={[
          col('name'),
          col('count', {
            render: (_, row) => (
              <OrderHandle
                label={`移动${row.name}`}
                onDrop={(beside, side) => put.push([row.id, beside, side])}
              >
                {null}
              </OrderHandle>
            ),
          }),
        ]}
      />
    )
  }
  await show(<Sorted />)
  await expect.element(button('移动标签1')).toBeVisible()
  const [first, second, third] = [...rows()].map((row) => row.getAttribute('data-row-key'))
  const handle = button(`移动标签${first}`)
  handle.element().focus()
  await userEvent.keyboard(' {ArrowDown}{ArrowDown}')
  await expect.element(page.getByText('第 3 行，共 4 行', { exact: false })).toBeInTheDocument()
  expect(put).toEqual([])
  await userEvent.keyboard('{Escape} ')
  await userEvent.keyboard(' ')
  expect(put).toEqual([])
  await userEvent.keyboard(' {ArrowDown} ')
  expect(put).toEqual([[Number(first), second, 'AFTER']])
  await userEvent.dragAndDrop(button(`移动标签${third}`), button(`移动标签${first}`))
  expect(put[1]).toEqual([Number(third), first, 'BEFORE'])
})
