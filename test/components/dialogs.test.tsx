import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { StrategyRow } from '../../src/domains/split-strategies/contract.ts'
// its texts come with them
import '../../src/domains/split-strategies/web/pickers.tsx'
import { VersionsDialog } from '../../src/domains/split-strategies/web/VersionsDialog.tsx'
import { BatchDialog } from '../../src/web/BatchDialog.tsx'
import { type Question, useConfirm } from '../../src/web/confirm.tsx'
import { Detail } from '../../src/web/Detail.tsx'
import { lazyDialog } from '../../src/web/lazyDialog.tsx'
import { answer, askedOf, show } from './world.tsx'

const button = (name: string) => page.getByRole('button', { name, exact: true })
let said: boolean[] = []
const Ask = ({ questions }: { questions: readonly Question[] }) => {
  const confirm = useConfirm()
  const ask = () => {
    said = []
    for (const question of questions) void confirm(question).then((yes) => said.push(yes))
  }
  return (
    <button type="button" onClick={ask}>
      问
    </button>
  )
}
const asking = async (...questions: Question[]) => {
  await show(<Ask questions={questions} />)
  await button('问').click()
  await expect.element(page.getByRole('dialog').first()).toBeVisible()
}

test('a harmless question is answered yes by Enter', async () => {
  await asking({ title: '发布吗？' })
  await expect.element(button('确定')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => said).toEqual([true])
})

test('a dangerous one is answered no by Enter and by Escape', async () => {
  for (const key of ['{Enter}', '{Escape}']) {
    await asking({ title: '清零吗？', danger: true, ok: '清零' })
    await expect.element(button('取消')).toHaveFocus()
    await userEvent.keyboard(key)
    await expect.poll(() => said).toEqual([false])
  }
})

test('what cannot be undone is typed first', async () => {
  await asking({ title: '注销机构？', danger: true, typed: 'HD-7' })
  await expect.element(button('确定')).toBeDisabled()
  const field = page.getByRole('textbox', { name: '请输入 HD-7 确认' })
  await expect.element(field).toHaveFocus()
  await field.fill('HD-')
  await expect.element(button('确定')).toBeDisabled()
  await field.fill('HD-7')
  await button('确定').click()
  await expect.poll(() => said).toEqual([true])
})

test('a press beside the question does not answer it; questions keep their answers apart', async () => {
  await asking({ title: '第一问' }, { title: '第二问', cancel: null })
  await expect.element(page.getByText('第二问')).toBeVisible()
  document.querySelector<HTMLElement>('.ant-modal-wrap')?.click()
  expect(said).toEqual([])
  const second = page.getByRole('dialog').filter({ hasText: '第二问' })
  expect(second.getByRole('button', { name: '取消' }).elements()).toEqual([])
  await second.getByRole('button', { name: '确定' }).click()
  await expect.poll(() => said).toEqual([true])
  await page
    .getByRole('dialog')
    .filter({ hasText: '第一问' })
    .getByRole('button', { name: '取消' })
    .click()
  await expect.poll(() => said).toEqual([true, false])
})

test('a dialog that loads when it opens takes the page with it in the meantime', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const Late = lazyDialog(async () => {
    await promise
    return ({ name }: { name: string }) => <p>{name}到了</p>
  })
  await show(
    <>
      <p>页面</p>
      <Late name="对话框" />
    </>,
  )
  await expect.element(page.getByText('页面')).toBeVisible()
  expect(page.getByText('对话框到了').elements()).toEqual([])
  resolve()
  await expect.element(page.getByText('对话框到了')).toBeVisible()
})

const machine = (id: number, ok: boolean, reason = '') => ({
  id,
  rtuNumber: `HD00000${id}`,
  nickname: `机器${id}`,
  ok,
  reason,
})
const plan = { done: 1, skipped: 1, results: [machine(1, true), machine(2, false, '正在出货')] }
test('a deed for many says first who is skipped and why, then what became of each', async () => {
  const runs: string[] = []
  const props = { title: '批量锁定', busy: false, onRun: () => runs.push('run'), onClose: () => {} }
  await show(<BatchDialog {...props} plan={plan} result={undefined} />)
  const rows = page.getByRole('listitem')
  await expect.element(rows.first()).toMatchTextContent('HD000002机器2正在出货')
  await button('执行').click()
  expect(runs).toHaveLength(1)
})
test('a deed that reaches nobody cannot be done', async () => {
  const nobody = { done: 0, skipped: 1, results: [machine(2, false, '离线')] }
  await show(
    <BatchDialog
      title="批量锁定"
      busy={false}
      onRun={() => {}}
      onClose={() => {}}
      plan={nobody}
      result={undefined}
    />,
  )
  await expect.element(button('执行')).toBeDisabled()
})

test('a drawer leaves its list usable; arrows step through the rows, but not from inside a field', async () => {
  const steps: string[] = []
  await show(
    <>
      <button type="button" onClick={() => steps.push('list')}>
        列表
      </button>
      <Detail
        open
        title="机器 7"
        id="HD000007"
        onClose={() => steps.push('close')}
        onPrevious={() => steps.push('up')}
        onNext={() => steps.push('down')}
      >
        <input aria-label="备注" />
      </Detail>
    </>,
  )
  await expect.element(page.getByRole('heading', { name: '机器 7' })).toBeVisible()
  await button('列表').click()
  await userEvent.keyboard('{ArrowDown}{ArrowUp}')
  expect(steps).toEqual(['list', 'down', 'up'])
  await page.getByRole('textbox', { name: '备注' }).click()
  await userEvent.keyboard('{ArrowDown}')
  expect(steps).toHaveLength(3)
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => steps.at(-1)).toBe('close')
})

test('two versions of a strategy name only what the other is not for', async () => {
  const version = (versionNo: number, laneIds: number[], deviceIds: number[]) => ({
    ...{ versionNo, laneIds, deviceIds, categoryIds: [], parties: [], state: 'PUBLISHED' },
    ...{ mode: 'LEDGER', feeMode: 'AFTER', timing: 'HOUR', merchantName: '', publishedBy: '' },
  })
  const [to, from] = [version(2, [1, 3], [8]), version(1, [1, 2], [8])]
  answer('GET /api/finance/split-strategies/7/versions', () => ({ list: [to, from] }))
  answer('GET /api/finance/split-strategies/7/versions/diff', () => ({ from, to, changed: [] }))
  answer('GET /api/finance/split-strategies/lanes', () => ({
    list: [2, 3].map((id) => ({ id, rtuNumber: `HD${id}`, road: id })),
  }))
  const row = { id: 7, orgId: 3, name: '校园' } as StrategyRow
  await show(<VersionsDialog row={row} onClose={() => undefined} />)
  const named = () =>
    [...document.querySelectorAll('.ant-modal td')]
      .map((cell) => cell.textContent?.match(/HD\d/g) ?? [])
      .filter((found) => found.length)
  await expect.poll(named).toEqual([['HD2'], ['HD3']])
  expect(askedOf('GET /api/finance/split-strategies/lanes')[0]?.query.laneIds).toBe('2,3')
  // nobody is asked about machines that are the same on both sides
  expect(askedOf('GET /api/devices/options')).toEqual([])
})
