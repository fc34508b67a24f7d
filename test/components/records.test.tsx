import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { keepLabels, LabelFields, LabelList, label, labels } from './labels.tsx'
import { answer, askedOf, choose, held, refused, show } from './world.tsx'

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = page.getByRole('dialog')
const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true })
const cell = (text: string) => page.getByRole('cell', { name: text, exact: true })

async function openNew(): Promise<void> {
  await page.getByRole('button', { name: '新增标签' }).first().click()
  await expect.element(dialog.getByLabelText('名称')).toBeVisible()
}
async function openMore(): Promise<void> {
  await button('更多').click()
  await page.getByRole('menuitem', { name: '删除' }).click()
}

test('a new record: checked by the contract, sent once, and in the list', async () => {
  keepLabels([])
  await show(<LabelList />)
  await openNew()
  await inDialog('保存').click()
  await expect.element(dialog.getByText('请输入名称')).toBeVisible()
  await expect.element(dialog.getByText('请选择种类')).toBeVisible()
  await expect.element(dialog.getByText('价格不能为空或为零')).toBeVisible()
  expect(askedOf('POST /api/labels')).toEqual([])
  // the first that is wrong has the focus
  await expect.element(dialog.getByLabelText('名称')).toHaveFocus()
  await userEvent.keyboard('新货架')
  await expect.element(dialog.getByText('请输入名称')).not.toBeInTheDocument()
  await choose(dialog.getByLabelText('种类'), '柜门')
  await dialog.getByLabelText('价格').fill('3.5')
  await inDialog('保存').dblClick()
  await expect.element(cell('新货架')).toBeVisible()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(askedOf('POST /api/labels').map(({ body }) => body)).toEqual([
    { name: '新货架', kind: 'DOOR', price: 350, printed: false, remark: '' },
  ])
})

test('what the server finds wrong stands at its field; the same name is the field, not a message over the page', async () => {
  keepLabels([label(1)])
  answer('PUT /api/labels/{id}', () =>
    refused(409, 'labels.nameTaken', '名称已存在', [{ field: 'name', message: '名称已存在' }]),
  )
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('名称').fill('别人的')
  await inDialog('保存').click()
  await expect.element(dialog.getByText('名称已存在')).toBeVisible()
  expect(page.getByText('名称已存在').elements()).toHaveLength(1)
  await expect.element(dialog.getByLabelText('名称')).toHaveAccessibleDescription(/名称已存在/)
  await dialog.getByLabelText('名称').fill('自己的')
  await expect.element(dialog.getByText('名称已存在')).not.toBeInTheDocument()
})

test('a record that somebody else changed meanwhile is not written over: the form stays with what was typed', async () => {
  const kept = keepLabels([label(1, { version: 4 })])
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('名称').fill('我的改名')
  kept[0] = label(1, { version: 5, name: '他的改名' })
  await inDialog('保存').click()
  await expect.element(dialog.getByRole('alert')).toMatchTextContent('名称：对方改为 他的改名')
  expect(askedOf('PUT /api/labels/1')[0]?.body).toMatchObject({ version: 4, name: '我的改名' })
  await expect.element(dialog.getByLabelText('名称')).toHaveValue('我的改名')
  expect(kept[0]?.name).toBe('他的改名')
  await inDialog('保存').click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(kept[0]).toMatchObject({ name: '我的改名', version: 6 })
})

test('a save that failed for no reason anybody knows says so in its own words, and the form stays', async () => {
  keepLabels([label(1)])
  const unknown = refused(500, 'common.unexpected', '操作失败')
  answer('PUT /api/labels/1', () => unknown)
  answer('POST /api/labels', () => unknown)
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('名称').fill('改名')
  await inDialog('保存').click()
  await expect.element(page.getByText('编辑失败')).toBeVisible()
  await expect.element(dialog.getByLabelText('名称')).toHaveValue('改名')
  await inDialog('取消').click()
  await button('离开').click()
  await openNew()
  await dialog.getByLabelText('名称').fill('新的')
  await choose(dialog.getByLabelText('种类'), '柜门')
  await dialog.getByLabelText('价格').fill('1')
  await inDialog('保存').click()
  await expect.element(page.getByText('保存失败')).toBeVisible()
})

test('the version a form was opened with is the one it saves with, whatever the list learns meanwhile', async () => {
  const kept = keepLabels([label(1, { version: 1 })])
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('备注').fill('x')
  kept[0] = label(1, { version: 2 })
  const { queryClient } = await import('../../src/web/api.ts')
  await queryClient.invalidateQueries()
  await inDialog('保存').click()
  await expect.poll(() => askedOf('PUT /api/labels/1')[0]?.body.version).toBe(1)
})

test('changes are not lost by a slip: Escape asks, staying keeps them, leaving drops them', async () => {
  keepLabels([label(1)])
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('名称').fill('改了一半')
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByText('内容尚未保存，确定离开？')).toBeVisible()
  await expect.element(button('继续编辑')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('内容尚未保存，确定离开？')).not.toBeInTheDocument()
  await expect.element(dialog.getByLabelText('名称')).toHaveValue('改了一半')
  await inDialog('取消').click()
  await button('离开').click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(askedOf('PUT /api/labels/1')).toEqual([])
})

test('a form nobody changed closes without a question, also when a change was taken back; the focus is where it was', async () => {
  keepLabels([label(1)])
  await show(<LabelList />)
  const edit = button('编辑')
  await edit.click()
  const name = dialog.getByLabelText('名称')
  await name.fill('x')
  await name.fill('标签1')
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(edit).toHaveFocus()
})

test('saving takes its time: the button waits, and a second Enter sends nothing', async () => {
  keepLabels([label(1)])
  const late = held(() => label(1))
  answer('PUT /api/labels/{id}', late.answer)
  await show(<LabelList />)
  await button('编辑').click()
  await dialog.getByLabelText('名称').fill('慢')
  await userEvent.keyboard('{Enter}')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => document.querySelector('.ant-btn-loading')).not.toBeNull()
  late.go()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(askedOf('PUT /api/labels/1')).toHaveLength(1)
})

test('removing asks by name, Enter answers no, and yes removes this version', async () => {
  const kept = keepLabels([label(1, { version: 7 })])
  await show(<LabelList />)
  await openMore()
  await expect.element(dialog).toMatchTextContent('确定删除该标签？')
  await expect.element(dialog).toMatchTextContent('标签1')
  await expect.element(inDialog('取消')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).not.toBeInTheDocument()
  expect(kept).toHaveLength(1)
  await openMore()
  await inDialog('删除').click()
  await expect.element(page.getByRole('heading', { name: '还没有标签' })).toBeVisible()
  expect(askedOf('DELETE /api/labels/1')[0]?.query).toEqual({ version: '7' })
})

test('what cannot be removed says why, and the row stays', async () => {
  keepLabels([label(1)])
  answer('DELETE /api/labels/{id}', () => refused(409, 'labels.inUse', '还有 3 台机器在用'))
  await show(<LabelList />)
  await openMore()
  await inDialog('删除').click()
  await expect
    .element(page.getByRole('alert').filter({ hasText: '还有 3 台机器在用' }))
    .toBeVisible()
  await expect.element(cell('标签1')).toBeVisible()
})

test('an act that is known to be refused stands there disabled', async () => {
  keepLabels([label(1, { can: { update: true, delete: false } })])
  await show(
    <LabelList
      records={{
        ...labels,
        get: undefined as never,
        fields: LabelFields,
        whyNotRemove: () => '正在打印',
      }}
    />,
  )
  await button('更多').click()
  await expect
    .element(page.getByRole('menuitem', { name: '删除' }))
    .toHaveAttribute('aria-disabled', 'true')
})

test('where a row shows less than its form, the whole record is read before it opens', async () => {
  keepLabels([label(1, { remark: '全文' })])
  await show(<LabelList records={{ ...labels, fields: LabelFields }} />)
  await button('编辑').click()
  await expect.element(dialog.getByLabelText('备注')).toHaveValue('全文')
  expect(askedOf('GET /api/labels/1')).toHaveLength(1)
})
