import { readFileSync } from 'node:fs'
import type { DemoCategory, DemoProduct } from './types.ts'

type Picture = DemoProduct['picture']

export const categories: readonly DemoCategory[] = [
  { key: 'drink', name: '饮料', sort: 10 },
  { key: 'coffee', name: '咖啡奶茶', sort: 20 },
  { key: 'snack', name: '零食', sort: 30 },
  { key: 'bread', name: '面包糕点', sort: 40 },
  { key: 'daily', name: '日用', sort: 50 },
  { key: 'drug', name: '药品', sort: 60 },
  { key: 'flower', name: '鲜花', sort: 70 },
]

/**
 * The goods of the demo. Makers and approval numbers are invented; names and packs are generic.
 * Prices in fen, an empty cell is nothing.
 */
export const products: readonly DemoProduct[] = rowsOf(
  readFileSync(new URL('products.tsv', import.meta.url), 'utf8'),
).map((row) => {
  const text = (column: string) => row[column] ?? ''
  const number = (column: string) => (text(column) === '' ? null : Number(text(column)))
  const picture = {
    kind: text('kind'),
    tint: text('tint'),
    ...(text('motif') ? { motif: text('motif') } : {}),
  }
  return {
    key: text('key'),
    name: text('name'),
    categoryKey: text('categoryKey'),
    model: text('model'),
    costPrice: Number(text('costPrice')),
    retailPrice: Number(text('retailPrice')),
    barcode: text('barcode'),
    manufacturer: text('manufacturer'),
    picture: picture as Picture,
    weight: Number(text('weight')),
    drugClass: text('drugClass') as DemoProduct['drugClass'],
    approvalNo: text('approvalNo') || null,
    dosageForm: text('dosageForm') || null,
    storeTempMin: number('storeTempMin'),
    storeTempMax: number('storeTempMax'),
    purchaseLimit: Number(text('purchaseLimit')),
  }
})

/** Lines of a table by the names in its first one. */
function rowsOf(table: string): Record<string, string>[] {
  const [head = [], ...lines] = table
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return lines.map((cells) => Object.fromEntries(head.map((name, n) => [name, cells[n] ?? ''])))
}
