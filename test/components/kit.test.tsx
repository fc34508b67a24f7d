import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Count, Money, Percent } from '../../src/web/Money.tsx'
import { Empty, Problem, Skeleton } from '../../src/web/Problem.tsx'
import { StatusTag, type Tone } from '../../src/web/StatusTag.tsx'
import { CardHead, Facts } from '../../src/web/ui/Card.tsx'
import { Page } from '../../src/web/ui/Page.tsx'
import { Figures, Lines, Pairs, Part, Sheet } from '../../src/web/ui/Sheet.tsx'
import { ShortNumber } from '../../src/web/ui/ShortNumber.tsx'
import { Cut, Tail } from '../../src/web/ui/Text.tsx'
import { show } from './world.tsx'

const content = () => document.getElementById('page-content') as HTMLElement
const tones: Tone[] = [
  'online',
  'success',
  'offline',
  'closed',
  'warn',
  'fault',
  'soldOut',
  'paid',
  'shipped',
  'refunded',
  'locked',
]

test.each(['light', 'dark'] as const)(
  'a state is shape, colour and word together, in every tone (%s)',
  async (theme) => {
    await show(
      tones.map((tone) => (
        <StatusTag key={tone} tone={tone} chip>
          {tone}字
        </StatusTag>
      )),
      { theme },
    )
    for (const tone of tones) {
      await expect.element(page.getByText(`${tone}字`)).toBeVisible()
      const tag = content().querySelector(`[data-tone=${tone}]`)
      const mark = tag?.querySelector('svg')
      expect(mark?.getAttribute('aria-hidden'), tone).toBe('true')
      expect(mark?.childElementCount, tone).toBeGreaterThan(0)
      // a colour the theme does not know would be black or nothing
      for (const name of ['--mark', '--text', '--tint']) {
        const variable = (tag as HTMLElement).style.getPropertyValue(name).slice(4, -1)
        expect(
          getComputedStyle(document.documentElement).getPropertyValue(variable),
          `${tone} ${name}`,
        ).not.toBe('')
      }
    }
  },
)

test('nothing known is a dash, zero is a zero', async () => {
  await show(
    <>
      <Money fen={null} /> <Money fen={0} /> <Count value={null} /> <Count value={0} />{' '}
      <Percent permille={null} /> <Percent permille={-125} /> <Count value={-1234} />
    </>,
  )
  expect.soft(await shown()).toBe('— ¥0.00 — 0 — −12.5% −1,234')
})
const shown = async () => {
  await expect.poll(() => content().textContent).not.toBe('')
  return content().textContent
}

test('named values: a value that is missing is a dash, and label and value belong together', async () => {
  await show(
    <>
      <Pairs
        items={[
          ['编号', 'HD1'],
          ['地址', ''],
          ['温度', 0],
        ]}
      />
      <Figures items={[['销售额', null]]} />
    </>,
  )
  await expect
    .poll(() =>
      [...content().querySelectorAll('dl > div')].map((pair) =>
        [...pair.children].map((part) => `${part.localName} ${part.textContent}`).join(' '),
      ),
    )
    .toEqual(['dt 编号 dd HD1', 'dt 地址 dd —', 'dt 温度 dd 0', 'dt 销售额 dd —'])
})

test('a page is a region with one heading; sheets and parts stand below it, each with its name', async () => {
  await show(
    <Page title="数据看板" lead="今天" tools={<button type="button">导出</button>}>
      <Sheet title="销售" note="元">
        <Part title="按小时">图</Part>
      </Sheet>
    </Page>,
  )
  for (const [level, name] of [
    [1, '数据看板'],
    [2, '销售'],
    [3, '按小时'],
  ] as const) {
    await expect.element(page.getByRole('heading', { level, name })).toBeVisible()
    await expect.element(page.getByRole('region', { name })).toBeVisible()
  }
})

test('a long number shows its tail, the whole of it is in the title and in the copy', async () => {
  await show(<ShortNumber number="20261121000000123456" to="/order/1" />)
  await expect
    .element(page.getByRole('link', { name: '…123456' }))
    .toHaveAttribute('href', '/order/1')
  await expect.element(page.getByTitle('20261121000000123456')).toBeVisible()
  const copied: string[] = []
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => copied.push(text) },
  })
  await page.getByRole('button', { name: '复制 20261121000000123456' }).click()
  expect(copied).toEqual(['20261121000000123456'])
})

test('what gives way is cut at its end, a number keeps its last six', async () => {
  await show(
    <>
      <div style={{ width: 120, display: 'flex' }}>
        <Cut title="全文">一段放不下的很长很长很长的文字</Cut>
      </div>
      <div style={{ width: 120, display: 'flex' }}>
        <Tail text="SN00000000000000123456" />
      </div>
    </>,
  )
  const cut = page.getByTitle('全文')
  await expect.element(cut).toBeVisible()
  const element = cut.element() as HTMLElement
  expect(element.scrollWidth).toBeGreaterThan(element.clientWidth)
  expect(getComputedStyle(element).textOverflow).toBe('ellipsis')
  expect(page.getByTitle('SN00000000000000123456').element().textContent).toBe(
    'SN00000000000000123456',
  )
})

test('a card leads with its name, then its lines in one, and says facts with their labels', async () => {
  await show(
    <>
      <CardHead
        title="机器 7"
        lines={['科苑路', '在线']}
        end={<StatusTag tone="online">在线</StatusTag>}
      />
      <Facts
        items={[
          ['销量', 3],
          ['库存', 0],
        ]}
      />
      <Facts items={[]} />
    </>,
    { width: 390 },
  )
  await expect.element(page.getByText('科苑路 · 在线')).toBeVisible()
  await expect.poll(() => content().textContent).toBe('机器 7科苑路 · 在线在线销量 3库存 0')
})

test('lines fill their columns, and wrap on a phone', async () => {
  const ui = (
    <Lines columns="200px 1fr 200px">
      <li>
        <span>甲</span>
        <span>{'一句话'.repeat(20)}</span>
        <span>丙</span>
      </li>
    </Lines>
  )
  const tops = () =>
    new Set(
      [...content().querySelectorAll('li > span')].map((part) =>
        Math.round(part.getBoundingClientRect().top),
      ),
    ).size
  await show(ui)
  await expect.poll(tops).toBe(1)
  await page.viewport(390, 844)
  await expect.poll(tops).toBeGreaterThan(1)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
})

test('what failed says why, with its number and a way on; what is gone says that', async () => {
  const again: string[] = []
  const error = {
    kind: 'refused',
    code: 500001,
    error: 'x',
    message: '没连上',
    requestId: 'abcdefghijkl',
    errors: [],
  } as const
  await show(
    <>
      <Problem error={error} title="列表加载失败" onRetry={() => again.push('retry')} />
      <Problem error={{ ...error, code: 404001, requestId: undefined }} title="列表加载失败" />
      <Empty title="还没有商品" hint="先添加一个" action={<button type="button">添加</button>} />
      <Skeleton rows={3} />
    </>,
  )
  const [first, second] = [page.getByRole('alert').first(), page.getByRole('alert').nth(1)]
  await expect.element(first).toMatchTextContent('列表加载失败没连上 追踪号 abcdefghi')
  await page.getByRole('button', { name: '重试' }).click()
  expect(again).toHaveLength(1)
  await expect.element(second).toMatchTextContent('没有找到该记录')
  expect(second.getByRole('button').elements()).toEqual([])
  await expect.element(page.getByRole('button', { name: '添加' })).toBeVisible()
  expect(content().querySelectorAll('[aria-busy=true] > span')).toHaveLength(3)
})
