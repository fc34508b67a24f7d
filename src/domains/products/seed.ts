import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { productSvg, renderPng } from '../../seed/pictures.ts'
import { categories, type DemoProduct, products } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import type { FileStore } from '../../server/files.ts'
import { dayMs } from '../../shared/instants.ts'
import { houseProducts } from './houseProducts.ts'

/** Of the drugs that stand in machines, the one whose boxes have trace codes in the demo. */
const codedProduct = 'isatis'

type Ids = { readonly organisations: ReadonlyMap<string, number> }

/**
 * Demo categories and products in system scope. The products of the world belong to the platform,
 * so that every operator's machines may hold them; 深圳鲜达运营 owns five of its own, which stand in no
 * machine. Answers the row id by product key.
 */
export async function seedProducts(
  db: Db,
  files: FileStore,
  ids: Ids,
  now: Date,
): Promise<Map<string, number>> {
  const platform = idOf(ids.organisations, 'platform')
  const operator = idOf(ids.organisations, 'op-xianda')
  const since = new Date(now.getTime() - 200 * dayMs)
  const added = await db
    .insertInto('product_categories')
    .values(
      categories.map((c) => ({ org_id: platform, name: c.name, sort: c.sort, created_at: since })),
    )
    .returning(['id', 'name'])
    .execute()
  const categoryIds = new Map(
    categories.map((c) => [c.key, added.find((row) => row.name === c.name)?.id ?? 0]),
  )
  const all = [
    ...products.map((product) => ({ product, org: platform })),
    ...houseProducts.map((product) => ({ product, org: operator })),
  ]
  const pictures = new Map<string, Picture>()
  for (const { product } of all) pictures.set(product.key, await putPicture(files, product))
  const owned = all.map((entry) => ({
    ...entry,
    picture: pictures.get(entry.product.key) as Picture,
  }))
  await db
    .insertInto('uploads')
    .values(
      owned.map(({ org, picture }) => ({
        id: picture.id,
        org_id: org,
        user_id: null,
        kind: 'IMAGE' as const,
        mime: 'image/png',
        bytes: picture.bytes,
        sha256: picture.sha256,
        url: picture.url,
        created_at: since,
      })),
    )
    .onConflict((oc) => oc.doNothing())
    .execute()
  const rows = await db
    .insertInto('products')
    .values(
      owned.map(({ product, org, picture }, index) => ({
        org_id: org,
        category_id: categoryIds.get(product.categoryKey) ?? 0,
        name: product.name,
        model: product.model,
        drug_class: product.drugClass,
        // each box of one of them leaves with its code; the others are sold whoever fills the lanes
        trace_required:
          product.drugClass === 'OTC_B' && product.key !== codedProduct ? false : null,
        cost_price: product.costPrice,
        retail_price: product.retailPrice,
        barcode: product.barcode,
        // the demo names drugs by nothing else
        generic_name: product.drugClass === 'NONE' ? '' : product.name,
        manufacturer: product.manufacturer,
        approval_no: product.approvalNo,
        dosage_form: product.dosageForm,
        store_temp_min: product.storeTempMin,
        store_temp_max: product.storeTempMax,
        purchase_limit: product.purchaseLimit,
        images: [picture.url],
        created_at: new Date(since.getTime() + index * 3_600_000),
        updated_at: new Date(since.getTime() + index * 3_600_000),
      })),
    )
    .returning(['id', 'barcode'])
    .execute()
  const byBarcode = new Map(rows.map((row) => [row.barcode, row.id]))
  return new Map(all.map(({ product }) => [product.key, byBarcode.get(product.barcode) ?? 0]))
}

function idOf(known: ReadonlyMap<string, number>, key: string): number {
  const id = known.get(key)
  if (id === undefined) throw new Error(`The demo organisation ${key} is not there yet.`)
  return id
}

type Picture = { id: string; url: string; sha256: string; bytes: number }

/** The same key gives the same name on every installation, in the folder layout of FileStore. */
async function putPicture(files: FileStore, product: DemoProduct): Promise<Picture> {
  const hex = createHash('sha256').update(`demo product ${product.key}`).digest('hex')
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  const place = path.join(files.folder, id.slice(0, 2), `${id}.png`)
  if (!existsSync(place)) {
    const { kind, tint, motif } = product.picture
    const mark =
      product.drugClass === 'OTC_A' || product.drugClass === 'OTC_B' ? product.drugClass : undefined
    await mkdir(path.dirname(place), { recursive: true })
    await writeFile(
      `${place}.part`,
      await renderPng(
        productSvg(kind, tint, { ...(motif ? { motif } : {}), ...(mark ? { mark } : {}) }),
      ),
    )
    await rename(`${place}.part`, place)
  }
  const bytes = await readFile(place)
  return {
    id,
    url: `files/${id}.png`,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  }
}
