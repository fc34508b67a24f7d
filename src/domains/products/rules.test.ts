import { describe, expect, test } from 'vitest'
import { products as demo } from '../../seed/world.ts'
import { say } from '../../shared/text.ts'
import { NewProduct } from './contract.ts'
import {
  barcodeIsValid,
  drugClassChange,
  marginPermille,
  productCan,
  productErrors,
  productFindings,
  retailAboveCost,
  sortsOf,
} from './rules.ts'

describe('barcode', () => {
  test.each([
    ['6901028075763', true],
    ['6901028075764', false],
    ['96385074', true],
    ['96385075', false],
    ['036000291452', true],
    ['10012345678902', true],
    ['10012345678903', false],
    ['', false],
    ['123', false],
    ['690102807576', false],
    ['６901028075763', false],
    ['69010280757 3', false],
    ['690102807576a', false],
  ])('%s is %s', (code, fine) => expect(barcodeIsValid(code)).toBe(fine))
  test('every demo product carries a valid one', () =>
    expect(demo.filter((p) => !barcodeIsValid(p.barcode))).toEqual([]))
})

describe('drug fields', () => {
  const drug = {
    drugClass: 'OTC_B',
    approvalNo: '国药准字Z20147726',
    dosageForm: '丸剂',
    manufacturer: '厂',
    storeTempMin: null,
    storeTempMax: null,
    redPackets: null,
  } as const
  test.each([
    [drug, []],
    [{ ...drug, approvalNo: null }, ['approvalNo']],
    [{ ...drug, dosageForm: null, manufacturer: '' }, ['dosageForm', 'manufacturer']],
    [{ ...drug, drugClass: 'NONE', approvalNo: null, dosageForm: null, manufacturer: '' }, []],
    [{ ...drug, storeTempMin: 10, storeTempMax: 2 }, ['storeTempMin']],
    [{ ...drug, storeTempMin: 2, storeTempMax: 2 }, []],
    [{ ...drug, storeTempMin: 2 }, []],
    [{ ...drug, redPackets: false }, []],
    [{ ...drug, redPackets: true }, ['redPackets']],
    [{ ...drug, drugClass: 'NONE', redPackets: true }, []],
  ] as const)('%#', (product, fields) =>
    expect(productFindings(product).map((found) => found.field)).toEqual(fields),
  )
})

test.each([
  [100, 100, null],
  [101, 100, productErrors.belowCost],
  [1, 1000, null],
])('cost %i, retail %i', (costPrice, retailPrice, found) =>
  expect(retailAboveCost({ costPrice, retailPrice })).toBe(found),
)

test.each([
  ['OTC_A', 'OTC_B', 'ON', true, productErrors.looserDrugClass],
  ['OTC_A', 'OTC_B', 'OFF', true, null],
  ['OTC_A', 'OTC_B', 'ON', false, null],
  ['OTC_B', 'RX', 'ON', true, null],
  ['RX', 'NONE', 'ON', true, productErrors.looserDrugClass],
  ['NONE', 'NONE', 'ON', true, null],
] as const)('class %s to %s while %s, placed %s', (from, to, status, placed, found) =>
  expect(drugClassChange({ drugClass: from, status }, to, placed)).toBe(found),
)

test('margin', () =>
  expect([
    marginPermille(90, 200),
    marginPermille(200, 200),
    marginPermille(1, 3),
    marginPermille(1, 0),
  ]).toEqual([550, 0, 667, null]))

test('buttons', () => {
  const every = { owned: true, cost: true, update: true, publish: true, remove: true, used: false }
  expect(productCan(every)).toEqual({ edit: true, publish: true, delete: true })
  expect(productCan({ ...every, owned: false })).toEqual({
    edit: false,
    publish: false,
    delete: false,
  })
  expect(productCan({ ...every, cost: false, used: true })).toEqual({
    edit: false,
    publish: true,
    delete: false,
  })
})

describe('messages of the form', () => {
  const fine = {
    name: '水',
    categoryId: 1,
    drugClass: 'NONE',
    model: '550ml',
    costPrice: 90,
    retailPrice: 200,
    images: ['files/a.png'],
  }
  const message = (change: Record<string, unknown>, lang: 'zh-CN' | 'en' = 'zh-CN') => {
    const found = NewProduct.safeParse({ ...fine, ...change })
    return found.success
      ? 'fine'
      : found.error.issues
          .map((issue) => `${String(issue.path[0] ?? '')} ${say(issue.message, lang)}`)
          .join('; ')
  }
  test.each([
    [{}, 'fine'],
    [{ name: undefined }, 'name 请输入商品名称'],
    [{ name: '   ' }, 'name 请输入商品名称'],
    [{ categoryId: undefined }, 'categoryId 请选择商品分类'],
    [{ drugClass: undefined }, 'drugClass 请选择药品分类'],
    [{ drugClass: 'POISON' }, 'drugClass 请选择药品分类'],
    [{ model: '' }, 'model 请输入规格'],
    [{ images: undefined }, 'images 请上传商品图片'],
    [{ images: [] }, 'images 请上传商品图片'],
    [{ images: [...'abcdef'].map((one) => `files/${one}.png`) }, 'images 最多上传5张图片'],
    [{ images: Array(2).fill('files/a.png') }, 'images 图片重复'],
    [{ images: ['https://x/y.png'] }, 'images 请上传图片'],
    [{ costPrice: undefined }, 'costPrice 请输入成本价'],
    [{ retailPrice: null }, 'retailPrice 请输入销售价'],
    [{ costPrice: 0 }, 'costPrice 价格不能为空或为零'],
    [{ retailPrice: -1 }, 'retailPrice 价格不能为空或为零'],
    [{ retailPrice: 0.1 }, 'retailPrice 价格格式错误'],
    [{ retailPrice: '１２' }, 'retailPrice 价格格式错误'],
    [{ retailPrice: '1e3' }, 'retailPrice 价格格式错误'],
    [{ retailPrice: 1e12 }, 'retailPrice 价格过大'],
    [{ barcode: '6901028075764' }, 'barcode 条形码不正确'],
    [{ barcode: '' }, 'fine'],
    [{ approvalNo: '国药准字X1' }, 'approvalNo 批准文号格式不正确'],
    [{ dosageForm: 'x' }, 'dosageForm 请选择剂型'],
    [
      { drugClass: 'RX' },
      'approvalNo 请输入批准文号; dosageForm 请选择剂型; manufacturer 请输入生产厂家',
    ],
    [{ storeTempMin: 20, storeTempMax: 10 }, 'storeTempMin 最低温度不能高于最高温度'],
  ])('%o', (change, text) => expect(message(change)).toBe(text))
  test('english', () =>
    expect(message({ name: '', model: undefined }, 'en')).toBe(
      'name Enter a product name; model Enter the specification',
    ))
})

describe('categories in a wished order', () => {
  const row = (id: number, sort: number, own = true) => ({ id, sort, own })
  const numbers =
    (...rows: ReturnType<typeof row>[]) =>
    (movedId: number) =>
      sortsOf(rows, movedId).map(({ id, sort }) => [id, sort])
  test.each<[string, number[][], number[][]]>([
    ['between two with room', numbers(row(1, 0), row(9, 30), row(2, 20))(9), [[9, 0]]],
    ['with a lower id', numbers(row(5, 0), row(2, 30), row(6, 20))(2), [[2, 1]]],
    [
      'first of equals',
      numbers(row(3, 0), row(1, 0), row(2, 0))(3),
      [
        [1, 1],
        [2, 1],
      ],
    ],
    ['last of equals', numbers(row(2, 0), row(3, 0), row(1, 0))(1), [[1, 1]]],
    ['behind one of another', numbers(row(1, 3, false), row(9, 0), row(2, 4, false))(9), [[9, 3]]],
    ['others of another stay', numbers(row(9, 2), row(1, 0, false), row(10, 0))(9), [[9, 0]]],
    ['where it stands', numbers(row(1, 0), row(2, 0))(2), []],
    ['at the end of the numbers', numbers(row(5, 9999), row(2, 3))(2), [[2, 9999]]],
  ])('%s', (_, found, wanted) => expect(found).toEqual(wanted))
})
