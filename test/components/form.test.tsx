import { useState } from 'react'
import { Link, Route, Routes } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { products } from '../../src/domains/products/contract.ts'
import { locale } from '../../src/domains/products/locale.ts'
import { BarcodeField } from '../../src/domains/products/web/BarcodeField.tsx'
import { queryClient, useRead } from '../../src/web/api.ts'
import { FormPage, Section } from '../../src/web/FormPage.tsx'
import { pickFor } from '../../src/web/form/values.ts'
import { registerLocale } from '../../src/web/i18n.ts'
import { product } from '../../src/web/product.ts'
import { anyDirty } from '../../src/web/shell/tabs.ts'
import { Upload } from '../../src/web/Upload.tsx'
import { keepLabels, LabelFields, label, labels } from './labels.tsx'
import { answer, askedOf, held, refused, show } from './world.tsx'

const button = (name: string | RegExp) => page.getByRole('button', { name })
const field = (name: string) => page.getByLabelText(name)
const put = 'PUT /api/labels/{id}'

function EditLabel({ readOnly = false }: { readOnly?: boolean }) {
  const loaded = useRead(labels.get, { id: 1 }, { inline: true })
  return (
    <FormPage
      ns="labels"
      title="编辑标签"
      back="/labels"
      save={labels.update}
      loaded={loaded}
      readOnly={readOnly}
      initial={loaded.data ? pickFor(labels.update.input, loaded.data) : {}}
      claims={{ 'labels.priceTooHigh': 'price' }}
    >
      <Section title="基本" purpose="贴在货架上的">
        <LabelFields />
      </Section>
    </FormPage>
  )
}
async function open(
  options: Parameters<typeof show>[1] = {},
): Promise<ReturnType<typeof keepLabels>> {
  const kept = keepLabels([label(1)])
  await show(<EditLabel />, { path: '/labels/edit/1', ...options })
  await expect.element(field('名称')).toHaveValue('标签1')
  return kept
}

test('a form waits for what it edits; what cannot be read is said, and read again', async () => {
  const late = held(() => refused(500, 'common.unexpected', '读不出来'))
  answer('GET /api/labels/{id}', late.answer)
  await show(<EditLabel />, { path: '/labels/edit/1' })
  await expect.poll(() => document.querySelector('[aria-busy=true]')).not.toBeNull()
  late.go()
  await expect.element(page.getByRole('alert')).toMatchTextContent('编辑标签加载失败')
  keepLabels([label(1)])
  await button('重试').click()
  await expect.element(field('名称')).toHaveValue('标签1')
})

test('a label leads to the field of its own form, also when another tab holds the same form', async () => {
  keepLabels([label(1)])
  await show(
    <>
      <EditLabel />
      <EditLabel />
    </>,
    { path: '/labels/edit/1' },
  )
  await expect.poll(() => field('名称').elements().length).toBe(2)
  await page.getByText('名称', { exact: true }).nth(1).click()
  await expect.element(field('名称').nth(1)).toHaveFocus()
})

test('required fields are marked, counted texts count, and a price is yuan', async () => {
  await open()
  for (const [name, required] of [
    ['名称', true],
    ['价格', true],
    ['备注', false],
  ] as const) {
    const mark = document
      .querySelector(`label[for="${field(name).element().id}"]`)
      ?.classList.contains('ant-form-item-required')
    expect(mark, name).toBe(required)
  }
  await expect.element(field('价格')).toHaveValue('3.50')
  await expect.element(page.getByText('3 / 20')).toBeVisible()
})

test('Ctrl S saves from any field: fen, the version and nothing else travel', async () => {
  await open()
  await field('价格').fill('12')
  await userEvent.keyboard('{Control>}s{/Control}')
  await expect.poll(() => askedOf('PUT /api/labels/1').length).toBe(1)
  expect(askedOf('PUT /api/labels/1')[0]?.body).toEqual({
    version: 1,
    name: '标签1',
    kind: 'SHELF',
    price: 1200,
    printed: false,
    remark: '',
  })
  await expect.poll(() => location.pathname).toBe('/labels')
})

test('what is wrong is listed beside the button, and leads to its field', async () => {
  await open()
  await field('名称').fill('')
  await field('价格').fill('三块')
  await button('保存').click()
  await expect.element(page.getByRole('status').filter({ hasText: '2 处需要修改：' })).toBeVisible()
  await expect.element(field('名称')).toHaveFocus()
  await page.getByRole('status').getByRole('button', { name: '价格' }).click()
  await expect.element(field('价格')).toHaveFocus()
  expect(askedOf('PUT /api/labels/1')).toEqual([])
})

test('a field is checked when it is left, not while it is typed', async () => {
  await open()
  await field('名称').fill('')
  expect(page.getByText('请输入名称').elements()).toEqual([])
  await userEvent.tab()
  await expect.element(page.getByText('请输入名称')).toBeVisible()
})

test('a refusal that belongs to a field stands there and takes the focus', async () => {
  await open()
  answer(put, () => refused(422, 'labels.priceTooHigh', '高于零售价'))
  await field('价格').fill('99')
  await button('保存').click()
  await expect.element(page.getByText('高于零售价').first()).toBeVisible()
  await expect.element(field('价格')).toHaveFocus()
})

test('what somebody else saved meanwhile comes in; where both changed, what was typed stays until it is given up', async () => {
  const kept = await open()
  kept[0] = label(1, { version: 2, name: '他的', remark: '他的备注', price: 900 })
  await field('名称').fill('我的')
  await field('价格').fill('7')
  await button('保存').click()
  const met = page.getByRole('alert')
  await expect.element(met).toMatchTextContent('他人刚刚修改并保存了这条数据')
  await expect.element(met).toMatchTextContent('名称：对方改为 他的，这里保留当前内容')
  await expect.element(met).toMatchTextContent('价格：对方改为 ¥9.00，这里保留当前内容')
  await expect.element(met).toMatchTextContent('备注已更新为 他的备注')
  await expect.element(field('名称')).toHaveValue('我的')
  await expect.element(field('备注')).toHaveValue('他的备注')
  expect(anyDirty()).toBe(true)
  await button('采用对方的').last().click()
  await expect.element(field('价格')).toHaveValue('9.00')
  await button('保存').click()
  await expect.poll(() => kept[0]?.version).toBe(3)
  expect(kept[0]).toMatchObject({ name: '我的', price: 900, remark: '他的备注' })
})

test('what arrives late never takes away what somebody typed', async () => {
  const kept = await open()
  await field('名称').fill('正在打字')
  kept[0] = label(1, { name: '别人的新名字' })
  await queryClient.invalidateQueries()
  expect(askedOf('GET /api/labels/1')).toHaveLength(2)
  // what the answer changes on the page is there two frames later
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
  await expect.element(field('名称')).toHaveValue('正在打字')
})

test('unsaved work is known to its tab and to the browser, until it is saved or taken back', async () => {
  await open()
  const leaves = () => {
    const event = new Event('beforeunload', { cancelable: true })
    dispatchEvent(event)
    return event.defaultPrevented
  }
  expect([anyDirty(), leaves()]).toEqual([false, false])
  await field('名称').fill('x')
  await expect.element(page.getByText('有未保存的修改')).toBeVisible()
  expect([anyDirty(), leaves()]).toEqual([true, true])
  await field('名称').fill('标签1')
  await expect.poll(anyDirty).toBe(false)
})

test('cancelling asks before work is lost', async () => {
  await open()
  await field('备注').fill('写了很多')
  await button('取消').click()
  await button('继续编辑').click()
  await expect.element(field('备注')).toHaveValue('写了很多')
  expect(location.pathname).toBe('/labels/edit/1')
  await button('取消').click()
  await button('离开').click()
  await expect.poll(() => location.pathname).toBe('/labels')
})

test('on a phone, where nothing keeps a tab, a step back asks first', async () => {
  keepLabels([label(1)])
  await show(
    <Routes>
      <Route path="/labels/edit/1" element={<EditLabel />} />
      <Route path="*" element={<Link to="/labels/edit/1">打开</Link>} />
    </Routes>,
    { width: 390 },
  )
  await page.getByText('打开').click()
  await field('备注').fill('写了很多')
  await expect.poll(anyDirty).toBe(true)
  history.back()
  await button('继续编辑').click()
  await expect.poll(() => location.pathname).toBe('/labels/edit/1')
  await expect.element(field('备注')).toHaveValue('写了很多')
})

test('a lost answer keeps the form, and sending again is the same act', async () => {
  keepLabels([])
  await show(
    <FormPage
      ns="labels"
      title="新增标签"
      back="/labels"
      save={labels.create}
      initial={{ name: '同一次', kind: 'DOOR', price: 100 }}
    >
      <LabelFields />
    </FormPage>,
    { path: '/labels/create' },
  )
  answer('POST /api/labels', () => {
    throw new TypeError('connection reset')
  })
  await button('保存').click()
  await expect.element(page.getByText('网络请求错误')).toBeVisible()
  keepLabels([])
  await button('保存').click()
  await expect.poll(() => location.pathname).toBe('/labels')
  const [first, second] = askedOf('POST /api/labels').map(({ key }) => key)
  expect(first).toBeTruthy()
  expect(second).toBe(first)
})

test('what may only be read has no way to save', async () => {
  keepLabels([label(1)])
  await show(<EditLabel readOnly />, { path: '/labels/edit/1' })
  await expect.element(button('返回')).toBeVisible()
  expect(button('保存').elements()).toEqual([])
  await userEvent.keyboard('{Control>}s{/Control}')
  expect(askedOf('PUT /api/labels/1')).toEqual([])
})

test('in English labels, messages and buttons are English', async () => {
  keepLabels([label(1)])
  await show(<EditLabel />, { path: '/labels/edit/1', lang: 'en' })
  await field('Name').fill('')
  await button('Save').click()
  await expect.element(page.getByText('Enter a name').first()).toBeVisible()
  await expect.element(page.getByRole('status').filter({ hasText: '1 to correct:' })).toBeVisible()
})

test('what somebody else saved may be read before the refusal of this save arrives: it is named all the same', async () => {
  const kept = await open()
  const late = held(() => refused(409, 'common.stale', '数据已被他人修改，请刷新后重试'))
  answer(put, late.answer)
  await field('名称').fill('我的改名')
  kept[0] = label(1, { version: 5, name: '他的改名' })
  await button('保存').click()
  await queryClient.invalidateQueries()
  late.go()
  await expect.element(page.getByText('名称：对方改为 他的改名')).toBeVisible()
  // the icon of a button that was busy does not stay in its name
  await expect.element(page.getByRole('button', { name: '保存', exact: true })).toBeVisible()
})

test('a cover is a square: the part that was chosen, or the whole where it is one', async () => {
  const sent: File[] = []
  product.uploadImage = async (file) => `files/${sent.push(file)}.png`
  const drawn = async (width: number, height: number) => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D
    // red on the left, blue on the right
    pen.fillStyle = '#f00'
    pen.fillRect(0, 0, width / 2, height)
    pen.fillStyle = '#00f'
    pen.fillRect(width / 2, 0, width / 2, height)
    const { promise, resolve } = Promise.withResolvers<Blob | null>()
    canvas.toBlob(resolve, 'image/png')
    return new File([(await promise) as Blob], 'a.png', { type: 'image/png' })
  }
  function Covers() {
    const [urls, setUrls] = useState<readonly string[]>([])
    return <Upload square max={5} value={urls} onChange={(next) => setUrls(next as string[])} />
  }
  await show(<Covers />)
  const give = async (file: File) => {
    await expect.poll(() => document.querySelector('input[type=file]')).not.toBeNull()
    await userEvent.upload(document.querySelector('input[type=file]') as HTMLElement, file)
  }
  await give(await drawn(400, 100))
  const dialog = page.getByRole('dialog', { name: '裁剪封面' })
  await expect.element(dialog.getByRole('slider', { name: '上下' })).toBeDisabled()
  const across = dialog.getByRole('slider', { name: '左右' })
  await expect.element(across).toBeEnabled()
  await dialog.getByRole('button', { name: '取消' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(sent).toEqual([])
  await give(await drawn(400, 100))
  await expect.element(across).toBeEnabled()
  await across.fill('1')
  await dialog.getByRole('button', { name: '确定' }).click()
  await expect.poll(() => sent.length).toBe(1)
  const cover = await createImageBitmap(sent[0] as File)
  expect([cover.width, cover.height]).toEqual([100, 100])
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  pen.drawImage(cover, 0, 0)
  expect([...pen.getImageData(5, 50, 1, 1).data]).toEqual([0, 0, 255, 255])
  // those behind the cover are as they are
  await give(await drawn(40, 20))
  await expect.poll(() => sent.length).toBe(2)
  expect((await createImageBitmap(sent[1] as File)).width).toBe(40)
})

test('a barcode says whose it is already, before the form is saved', async () => {
  registerLocale('products', locale)
  const goods = (id: number, can: boolean, source: 'OWN' | 'INHERITED') => ({
    ...{ id, name: '矿泉水', model: '550ml', barcode: '6901028075763', source },
    can: { edit: can, publish: can, delete: can },
  })
  let found = goods(7, true, 'OWN')
  answer('GET /api/products', () => ({ list: [found], total: 1 }))
  await show(
    <FormPage ns="products" title="新增商品" back="/" save={products.create} initial={{}}>
      <Section title="基本" purpose="">
        <BarcodeField id={undefined} />
      </Section>
    </FormPage>,
  )
  const code = page.getByLabelText('条形码')
  // a wrong one is nobody's: nothing is asked
  await code.fill('6901028075764')
  await code.fill('6901028075763')
  const link = page.getByRole('link', { name: '商品“矿泉水 550ml”已使用此条形码' })
  await expect.element(link).toHaveAttribute('href', '/product/product-manage/edit/7')
  expect(askedOf('GET /api/products').map(({ query }) => query.keyword)).toEqual(['6901028075763'])
  // a scanner ends with Enter: the form is not sent
  await userEvent.keyboard('{Enter}')
  expect(askedOf('POST /api/products')).toEqual([])
  found = goods(1, false, 'INHERITED')
  queryClient.clear()
  await code.fill('')
  await code.fill('6901028075763')
  await expect.element(page.getByText('上级已有商品“矿泉水 550ml”，可直接使用')).toBeVisible()
})

test('a camera gives the first barcode that is one, and is let go', async () => {
  registerLocale('products', locale)
  const scene = document.createElement('canvas')
  const pen = scene.getContext('2d')
  // a camera whose picture changes
  const moves = setInterval(() => pen?.fillRect(0, 0, Math.random() * 99, 99), 50)
  onTestFinished(() => clearInterval(moves))
  const stream = scene.captureStream()
  const before = ['abc']
  vi.stubGlobal(
    'BarcodeDetector',
    class {
      detect = async () => before.map((rawValue) => ({ rawValue }))
    },
  )
  const camera = vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockResolvedValue(stream)
  onTestFinished(() => void vi.unstubAllGlobals())
  onTestFinished(() => camera.mockRestore())
  await show(
    <FormPage ns="products" title="新增商品" back="/" save={products.create} initial={{}}>
      <Section title="基本" purpose="">
        <BarcodeField id={undefined} />
      </Section>
    </FormPage>,
  )
  await button('扫码').click()
  await expect.poll(() => document.querySelector('video')?.srcObject).toBe(stream)
  before.push('6901028075763', '6901028075770')
  await expect.element(page.getByLabelText('条形码')).toHaveValue('6901028075763')
  await expect.poll(() => stream.getTracks().map((track) => track.readyState)).toEqual(['ended'])
  camera.mockRejectedValue(new Error('not allowed'))
  await button('扫码').click()
  await expect.element(page.getByText('无法使用摄像头，请手动输入条形码')).toBeVisible()
})
