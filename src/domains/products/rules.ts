import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import { bi } from '../../shared/text.ts'
import type { Goods } from '../drug-guard/rules.ts'
import { buyerErrors, drugClasses } from './buyerRules.ts'

export { buyerErrors, drugClasses }
export type DrugClass = (typeof drugClasses)[number]

/**
 * Dosage forms of the product book, kept in Chinese as printed on the package; English for screens
 * is in locale.ts.
 */
export const dosageForms = [
  '片剂/胶囊',
  '缓释控释',
  '口服液体剂',
  '丸剂',
  '颗粒剂',
  '口服散剂',
  '外用散剂',
  '软膏剂',
  '贴剂',
  '外用液体剂',
  '硬膏剂',
  '凝胶剂',
  '涂剂',
  '栓剂',
  '滴眼剂',
  '滴耳剂',
  '滴鼻剂',
  '吸入剂',
  '其他',
] as const

export const productErrors = defineErrors('products', {
  categoryNameTaken: [409004, '分类名称已存在', 'A category with this name exists'],
  categoryInUse: [
    409003,
    '该分类下仍有{n}个商品，无法删除',
    'This category still has {n} products and cannot be deleted',
  ],
  barcodeTaken: [409004, '条形码已存在', 'A product with this barcode exists'],
  used: [
    409003,
    '商品已被使用，请改为下架',
    'The product has been used; take it off the shelf instead',
  ],
  inherited: [
    403001,
    '上级机构的商品信息只能查看和使用，不能修改',
    'What an organisation above says of its goods can be used, not changed',
  ],
  belowCost: [422030, '零售价不能低于成本价', 'The retail price must not be below the cost'],
  lanesBelowCost: [
    422031,
    '以下货道售价低于新成本价：{list}，共{n}个货道',
    'These lanes sell below the new cost: {list} ({n} lanes in all)',
  ],
  tooManyToRaise: [
    422037,
    '超过 {n} 台设备的货道需要调价，请先批量修改销售价并同步到货道',
    'Lanes of more than {n} machines would change: set their retail price first',
  ],
  manyBelowCost: [
    422035,
    '零售价不能低于成本价：{list}，共{n}个商品',
    'The retail price must not be below the cost: {list} ({n} products in all)',
  ],
  noPicture: [
    422036,
    '请先上传商品图片再上架：{list}，共{n}个商品',
    'Upload a picture before it is put on the shelf: {list} ({n} products in all)',
  ],
  looserDrugClass: [
    422032,
    '商品正在销售，药品分类只能改为更严格的类别',
    'While the product is on sale its drug class may only become stricter',
  ],
  insured: [
    422034,
    '商品有医保信息，不能改为非药品',
    'The product has insurance entries and stays a drug',
  ],
  lanesForbidDrug: [
    422033,
    '以下货道所在设备不允许销售此类药品：{list}，共{n}个货道',
    'The machines of these lanes may not sell such drugs: {list} ({n} lanes in all)',
  ],
})

/** As printed on the package, in any language. */
export const approvalNoExample = '国药准字Z20147726'

export const ruleTexts = {
  approvalNo: bi('请输入批准文号', 'Enter the approval number'),
  approvalNoShape: bi('批准文号格式不正确', 'Not an approval number'),
  dosageForm: bi('请选择剂型', 'Choose a dosage form'),
  manufacturer: bi('请输入生产厂家', 'Enter the manufacturer'),
  temperature: bi('最低温度不能高于最高温度', 'The lowest temperature must not exceed the highest'),
  barcode: bi('条形码不正确', 'Not a valid barcode'),
  redPackets: bi('药品不参与营销活动', 'Drugs take no part in promotions'),
}

/**
 * GS1 check digit of EAN-8, UPC-A, EAN-13 and GTIN-14: weights 3, 1, 3 … from the right, before the
 * last digit.
 */
export function barcodeIsValid(code: string): boolean {
  if (!/^(\d{8}|\d{12,14})$/.test(code)) return false
  const digits = [...code].map(Number).reverse()
  const sum = digits
    .slice(1)
    .reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10 === digits[0]
}

export type Checked = {
  drugClass: DrugClass
  approvalNo: string | null
  dosageForm: string | null
  manufacturer: string
  storeTempMin: number | null
  storeTempMax: number | null
  redPackets: boolean | null
}
export type Finding = { field: string; text: string }

/**
 * What a product must have besides the shape of its single fields; all findings at once, for the
 * form.
 */
export function productFindings(product: Checked): Finding[] {
  const found: Finding[] = []
  if (product.drugClass !== 'NONE') {
    if (!product.approvalNo) found.push({ field: 'approvalNo', text: ruleTexts.approvalNo })
    if (!product.dosageForm) found.push({ field: 'dosageForm', text: ruleTexts.dosageForm })
    if (!product.manufacturer) found.push({ field: 'manufacturer', text: ruleTexts.manufacturer })
    if (product.redPackets) found.push({ field: 'redPackets', text: ruleTexts.redPackets })
  }
  if (
    product.storeTempMin !== null &&
    product.storeTempMax !== null &&
    product.storeTempMin > product.storeTempMax
  ) {
    found.push({ field: 'storeTempMin', text: ruleTexts.temperature })
  }
  return found
}

export const retailAboveCost = (product: {
  costPrice: number
  retailPrice: number
}): ErrorDef | null => (product.retailPrice < product.costPrice ? productErrors.belowCost : null)

const strictness = (drugClass: DrugClass): number => drugClasses.indexOf(drugClass)

/**
 * Placed and on the shelf: the class may only become stricter; looser needs the product off the
 * shelf first.
 */
export const drugClassChange = (
  before: { drugClass: DrugClass; status: 'ON' | 'OFF' },
  next: DrugClass,
  placed: boolean,
): ErrorDef | null =>
  placed && before.status === 'ON' && strictness(next) < strictness(before.drugClass)
    ? productErrors.looserDrugClass
    : null

/** As the drug guard asks for it. */
export const asGoods = (product: Checked & { specialCompound: boolean }): Goods => ({
  drugClass: product.drugClass,
  drug:
    product.drugClass === 'NONE'
      ? null
      : {
          approvalNo: product.approvalNo,
          dosageForm: product.dosageForm,
          manufacturer: product.manufacturer,
          tempMin: product.storeTempMin,
          tempMax: product.storeTempMax,
          special: product.specialCompound,
        },
})

/** Share of the retail price that stays, in tenths of a percent; null without a price. */
export const marginPermille = (costPrice: number, retailPrice: number): number | null =>
  retailPrice > 0 ? Math.round(((retailPrice - costPrice) * 1000) / retailPrice) : null

export const nearExpiryDefault = (drugClass: DrugClass): number => (drugClass === 'NONE' ? 30 : 180)

/** The predicate that guards each verb and shows or hides its button. */
export function productCan(of: {
  owned: boolean
  cost: boolean
  update: boolean
  publish: boolean
  remove: boolean
  used: boolean
}) {
  return {
    edit: of.owned && of.update && of.cost,
    publish: of.owned && of.publish,
    delete: of.owned && of.remove && !of.used,
  }
}

export type Placed = { id: number; sort: number; own: boolean }
/** The last sort number there is. */
const lastSort = 9999

/**
 * The new sort numbers of a list in its wished order, where rows of one number stand by their ids.
 * What is not one's own keeps its number, and so does the rest as far as it can.
 */
export function sortsOf(
  wished: readonly Placed[],
  movedId: number,
): { id: number; sort: number }[] {
  let last = { id: 0, sort: 0 }
  return wished.flatMap(({ id, sort, own }) => {
    const next = Math.min(last.sort + (id > last.id ? 0 : 1), lastSort)
    const behind = sort > last.sort || (sort === last.sort && id > last.id)
    const now = own && (id === movedId || !behind) ? next : sort
    if (own || behind) last = { id, sort: now }
    return now === sort ? [] : [{ id, sort: now }]
  })
}

/** At most ten places by name, the rest by number: `HD000126-3 ¥2.50, …`. */
export const namePlaces = (places: readonly string[]): string =>
  places.slice(0, 10).join(', ') + (places.length > 10 ? ' …' : '')
