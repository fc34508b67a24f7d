import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { products } from '../../seed/world.ts'
import { systemScope } from '../../server/database.ts'
import { openFiles } from '../../server/files.ts'
import { houseProducts } from './houseProducts.ts'
import { barcodeIsValid } from './rules.ts'
import { seedProducts } from './seed.ts'
import { openWorld, people, type World } from './server/testWorld.ts'

let world: World
const folder = mkdtempSync(join(tmpdir(), 'huodao-seed-'))
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.close()
})

test('categories, products and pictures, the same twice', async () => {
  const ids = {
    organisations: new Map([
      ['platform', 1],
      ['op-xianda', 3],
    ]),
  }
  const seed = () =>
    world.app.database.transact(systemScope, (db) =>
      seedProducts(db, openFiles(folder), ids, world.now),
    )
  const first = await seed()
  expect(first.size).toBe(products.length + houseProducts.length)
  expect([...first.values()].every((id) => id > 0)).toBe(true)
  const rows = await world.rows<{ url: string }>('select url from uploads order by url')
  expect(
    readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.png')),
  ).toHaveLength(rows.length)
  await world.rows('delete from products')
  await world.rows('delete from product_categories')
  await seed()
  expect(await world.rows('select url from uploads order by url')).toEqual(rows)
  expect(houseProducts.every((p) => barcodeIsValid(p.barcode))).toBe(true)
  const seen = async (user: number) => (await world.send(user, 'GET', '/products')).body.total
  expect([
    await seen(people.operator),
    await seen(people.sibling),
    await seen(people.platform),
  ]).toEqual([50, 45, 50])
})
