import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openWorld, rowId, type World } from '../../test/support/world.ts'
import { common, Refusal } from '../shared/errors.ts'
import * as f from '../shared/fields.ts'
import { columns, deleteVersion, guarding, shape, updateVersion } from './shapes.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test('a field that fits no column, by name or by type, does not compile', () => {
  const known = { id: f.id, storeName: z.string() }
  shape(z.strictObject(known), ['stores', 's'], {})
  // @ts-expect-error the column is called store_name
  shape(z.strictObject({ ...known, title: z.string() }), ['stores', 's'], {})
  // @ts-expect-error it may be empty in the database
  shape(z.strictObject({ ...known, systemId: z.string() }), ['stores', 's'], {})
  // @ts-expect-error it is no number
  shape(z.strictObject({ id: f.id, storeName: z.number() }), ['stores', 's'], {})
  columns('stores', { storeName: 'a', systemId: null })
  // @ts-expect-error no such column
  columns('stores', { title: 'a' })
  // @ts-expect-error it cannot be empty
  columns('stores', { storeName: null })
  // @ts-expect-error no such constraint
  guarding({ stores_title: [common.duplicate] })
})

const Store = z.strictObject({
  id: f.id,
  storeName: z.string(),
  systemId: z.string(),
  createdAt: f.instant,
  twice: z.number(),
  version: f.version,
})
const said = { systemId: sql`coalesce(s.system_id, '')` }
const store = shape(Store, ['stores', 's'], said, ['twice'])
const id = rowId('OWN', 1)

test('rows have the names and values of the contract', () =>
  world.system(async (ctx) => {
    const row = await store.one(ctx.db, sql`from stores s where s.id = ${id}`)
    expect(Store.omit({ twice: true }).parse(row)).toEqual(row)
    expect(row).not.toHaveProperty('twice')
    expect(await store.one(ctx.db, sql`from stores s where s.id = 1`)).toBeUndefined()
  }))

test('a version is written once, then it is stale; a guarded value is a refusal on its field', async () => {
  const set = columns('stores', { storeName: 'changed' })
  const version = () =>
    world.system(
      async (ctx) => (await store.one(ctx.db, sql`from stores s where s.id = ${id}`))?.version ?? 0,
    )
  const seen = await version()
  await world.system((ctx) => updateVersion(ctx, 'stores', { id, version: seen }, set))
  expect(await version()).toBe(seen + 1)
  const stale = { def: common.stale }
  await expect(
    world.system((ctx) => updateVersion(ctx, 'stores', { id, version: seen }, set)),
  ).rejects.toMatchObject(stale)
  await expect(
    world.system((ctx) => deleteVersion(ctx, 'stores', { id, version: seen })),
  ).rejects.toMatchObject(stale)
  const unique = guarding({ stores_org_id_store_name_key: [common.duplicate, 'storeName'] })
  const again = world.system((ctx) =>
    unique(ctx.db.insertInto('stores').values({ org_id: 3, store_name: 'changed' }).execute()),
  )
  const refusal = await again.catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ def: common.duplicate, fields: [{ field: 'storeName' }] })
})
