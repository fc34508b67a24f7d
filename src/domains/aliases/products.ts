import { type Alias, type Given, idOf, known, merged, pick } from '../../server/alias.ts'
import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { common, Refusal } from '../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../shared/instants.ts'
import { type CategoryRow, type Product, products } from '../products/contract.ts'
import { stock } from '../stock/contract.ts'

const detailOf = (row: {
  name: string
  model: string
  costPrice: number | null
  retailPrice: number
}) => pick(row, 'name', 'model', 'costPrice', 'retailPrice')
const shown = (product: Product) => ({
  ...product,
  img: product.images[0] ?? '',
  detail: detailOf(product),
})

/** A product is written flat or with the sample's `detail`; `img` is the first picture. */
const flat = ({ detail, img, ...rest }: Given): Given => ({
  ...(typeof detail === 'object' && detail !== null ? detail : {}),
  ...(typeof img === 'string' && img !== '' && !('images' in rest) ? { images: [img] } : {}),
  ...rest,
})

async function category(call: CallOn, id: number): Promise<CategoryRow> {
  for (let page = 1; ; page += 1) {
    const { list, total } = await call(products.categories, { page, pageSize: 200 })
    const row = list.find((entry) => entry.id === id)
    if (row) return row
    if (page * 200 >= total) throw new Refusal(common.notFound)
  }
}
const shownCategory = (row: CategoryRow) => pick(row, 'id', 'name', 'createTime')
/** The sample server knows no default range: a year, unless days are given. */
export function wholeYear(input: Record<string, unknown>, now: Date): Record<string, unknown> {
  const today = shanghaiDay(now)
  return input.from || input.to ? input : { ...input, from: addDays(today, -364), to: today }
}

export const productAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/product-category-list-index',
    async answer(call, given) {
      const { list, total } = await call(products.categories, known(products.categories, given))
      return { list: list.map(shownCategory), total }
    },
  },
  {
    method: 'POST',
    path: '/product-category-list-index',
    answer: async (call, given) =>
      shownCategory(
        await call(
          products.createCategory,
          known(products.createCategory, given) as CallInput<typeof products.createCategory>,
        ),
      ),
  },
  {
    method: 'PUT',
    path: '/product-category-list-index/:id',
    async answer(call, given) {
      const row = await category(call, idOf(given))
      const input = merged(products.editCategory, row, { ...given, id: row.id })
      return shownCategory(
        await call(products.editCategory, input as CallInput<typeof products.editCategory>),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/product-category-list-index/:id',
    answer: async (call, given) =>
      call(products.removeCategory, pick(await category(call, idOf(given)), 'id', 'version')),
  },
  {
    method: 'GET',
    path: '/product-category-all',
    answer: async (call) => (await call(products.allCategories, {})).list,
  },
  {
    method: 'GET',
    path: '/product-manage-list',
    async answer(call, given) {
      const { list, total } = await call(products.list, known(products.list, given))
      return {
        list: list.map((row) => ({ ...pick(row, 'id', 'img'), detail: detailOf(row) })),
        total,
      }
    },
  },
  {
    method: 'GET',
    path: '/product-manage-list-item/:id',
    answer: async (call, given) => shown(await call(products.get, { id: idOf(given) })),
  },
  {
    method: 'PUT',
    path: '/product-manage-list-item/:id',
    async answer(call, given) {
      const row = await call(products.get, { id: idOf(given) })
      return shown(
        await call(
          products.edit,
          merged(products.edit, row, { ...flat(given), id: row.id }) as CallInput<
            typeof products.edit
          >,
        ),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/product-manage-list-item/:id',
    answer: async (call, given) =>
      call(products.remove, pick(await call(products.get, { id: idOf(given) }), 'id', 'version')),
  },
  {
    method: 'POST',
    path: '/product-manage-list-item',
    answer: async (call, given) =>
      shown(
        await call(
          products.create,
          known(products.create, flat(given)) as CallInput<typeof products.create>,
        ),
      ),
  },
  {
    method: 'GET',
    path: '/stock-waste-list',
    async answer(call, given, now) {
      const { list, total } = await call(stock.flows, wholeYear(known(stock.flows, given), now))
      const rows = list.map((row) =>
        pick(
          row,
          'id',
          'cargoRoad',
          'type',
          'wasteNum',
          'productName',
          'beforeChangeTotal',
          'afterChangeTotal',
          'changeTotal',
          'createTime',
        ),
      )
      return { list: rows, total }
    },
  },
]
