import type { DemoProduct } from '../../seed/world.ts'

/** Fresh food of one demo operator: his own products beside those of the platform. */
const row = (
  key: string,
  name: string,
  categoryKey: string,
  model: string,
  costPrice: number,
  retailPrice: number,
  barcode: string,
  picture: DemoProduct['picture'],
): DemoProduct => ({
  key,
  name,
  categoryKey,
  model,
  drugClass: 'NONE',
  costPrice,
  retailPrice,
  barcode,
  manufacturer: '深圳鲜达运营中央厨房',
  approvalNo: null,
  dosageForm: null,
  storeTempMin: 2,
  storeTempMax: 8,
  purchaseLimit: 0,
  picture,
  weight: 0,
})

export const houseProducts: readonly DemoProduct[] = [
  row('house-rice-ball', '三文鱼饭团', 'bread', '110g', 420, 890, '6976543901002', {
    kind: 'bag',
    tint: 'green',
    motif: 'wave',
  }),
  row('house-sandwich', '火腿鸡蛋三明治', 'bread', '150g', 510, 1080, '6976543901378', {
    kind: 'box',
    tint: 'amber',
    motif: 'leaf',
  }),
  row('house-salad', '鲜蔬沙拉', 'snack', '220g', 760, 1590, '6976543901743', {
    kind: 'box',
    tint: 'green',
    motif: 'leaf',
  }),
  row('house-yogurt', '原味酸奶', 'drink', '180g', 330, 690, '6976543902115', {
    kind: 'cup',
    tint: 'blue',
    motif: 'drop',
  }),
  row('house-fruit', '当季水果杯', 'snack', '200g', 690, 1390, '6976543902481', {
    kind: 'cup',
    tint: 'rose',
    motif: 'peach',
  }),
]
