import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowsOf } from '../../../server/rows.ts'
import { keyFor, sealSecret } from '../../../server/secretBox.ts'
import { within } from '../../../server/within.ts'
import { holderOf } from '../../../shared/address.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { maskedIdCard, maskedName } from '../../../shared/idCard.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { anyBuyer, type Goods, type Place, type Sale } from '../../drug-guard/rules.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import type { Unit } from './rows.ts'

/**
 * Drugs with special compounds at a machine with a pharmacist: whoever buys them says who he is, and
 * has at most so many packs a day, of whichever organisation he buys them (decision 56). His packs
 * are counted behind a lock that is his alone, and last: nobody waits behind him for a machine.
 */
type Asking = Pick<Ctx, 'app' | 'db' | 'now'>
export type Identity = { readonly name: string; readonly idCard: string }

/** Where a sale is registered; others of these drugs are sold without, or not at all. */
export const isRegistered = (goods: Goods, place: Pick<Place, 'dispensingMode'>): boolean =>
  goods.drug?.special === true && place.dispensingMode === 'PHARMACIST'

const digestOf = (app: App, { idCard }: Identity): Buffer =>
  createHmac('sha256', keyFor(app.config, 'special-purchases')).update(idCard).digest()

/** Those who order for the same person take turns; ascending, so that none waits for each other. */
async function takeTurns(ctx: Asking, persons: readonly Buffer[]): Promise<void> {
  const names = [...new Set(persons.map((person) => `special ${person.toString('hex')}`))].sort()
  for (const name of names)
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(ctx.db)
}

/** Packs that these people took or ordered today, by their digests. */
async function takenBy(ctx: Asking, persons: readonly Buffer[]): Promise<Map<string, number>> {
  const rows = await rowsOf<{ person: string; packs: number }>(ctx.db)`
    select encode(person, 'hex') as person, packs
    from special_packs(${[...persons]}::bytea[], ${shanghaiDay(ctx.now)}::date)`
  return new Map(rows.map(({ person, packs }) => [person, packs]))
}

/** Packs of a person and day, as the organisation of the machine has it. */
export const mostOf = (app: App, orgId: number) => cachedSetting(app, orgId, 'drug.specialPacks')

type Wanted = { readonly items: readonly { roadIndex: number; count: number }[] }
/** What the guard is told of a sale from these lanes before anybody looks what this person bought. */
export async function saleFor(
  ctx: Asking,
  device: Pick<Place, 'dispensingMode'> & { orgId: number },
  { items, identity }: Wanted & { identity?: Identity | undefined },
  laneOf: ReadonlyMap<number, Goods>,
): Promise<Sale> {
  const packs = items.reduce((sum, { roadIndex, count }) => {
    const lane = laneOf.get(roadIndex)
    return lane && isRegistered(lane, device) ? sum + count : sum
  }, 0)
  if (!packs || !identity) return anyBuyer
  return { ...anyBuyer, identified: true, packs, most: await mostOf(ctx.app, device.orgId) }
}

const refusedAt = perApp(() => new Map<string, number[]>())
/** So many limits of persons an address may run into within so many minutes. */
export const askLimits = { most: 12, ms: 600_000 }
/**
 * And with what he took or ordered today. Whoever is told it learns what somebody bought, so it is
 * asked last, of a sale in whose way nothing else stands, and of an address that was refused a few
 * times no more. `locking`: the order is about to be written, and its lanes are locked.
 */
export async function countedFor(
  ctx: Asking & Pick<Ctx, 'ip'>,
  sale: Sale,
  identity: Identity | undefined,
  locking: boolean,
): Promise<Sale> {
  if (!sale.packs || !identity) return sale
  const [known, address, now] = [refusedAt(ctx.app), holderOf(ctx.ip), performance.now()]
  const lately = (known.get(address) ?? []).filter((at) => now - at < askLimits.ms)
  if (lately.length >= askLimits.most) throw new Refusal(common.tooMany)
  const person = digestOf(ctx.app, identity)
  if (locking) await takeTurns(ctx, [person])
  const taken = await takenBy(ctx, [person])
  const packs = sale.packs + (taken.get(person.toString('hex')) ?? 0)
  if (packs > sale.most) {
    if (known.size > 10_000) known.clear()
    known.set(address, [...lately, now])
  }
  return { ...sale, packs }
}

/** With the order: who took the packs of these lanes. */
export function register(
  ctx: Ctx,
  order: { id: number; orgId: number },
  laneIds: readonly number[],
  identity: Identity,
): void {
  const sealed = sealSecret(
    ctx.app.config,
    'special-purchases',
    `special_purchases ${order.id}`,
    JSON.stringify(identity),
  )
  ctx.later(sql`
    insert into special_purchases (order_id, unit_no, org_id, device_id, order_at, day, person,
      buyer, card, sealed)
    select u.order_id, u.unit_no, u.org_id, u.device_id, u.created_at,
      ${shanghaiDay(ctx.now)}::date, ${digestOf(ctx.app, identity)}, ${maskedName(identity.name)},
      ${maskedIdCard(identity.idCard)}, ${sealed}
    from order_units u where u.org_id = ${order.orgId} and ${within('u.created_at', [ctx.now])}
      and u.order_id = ${order.id} and u.lane_id = any(${[...laneIds]}::bigint[])`)
}

type Piece = Pick<Unit, 'id' | 'orderId' | 'unitNo' | 'drugClass'>
/**
 * What the guard is told of pieces that are vended once more: they were given back when they did
 * not leave, and are taken again. `locking`: they are, and count for today.
 */
export async function salesAgain(
  ctx: Asking,
  units: readonly Piece[],
  locking: boolean,
): Promise<ReadonlyMap<number, Sale>> {
  const drugs = units.filter(({ drugClass }) => drugClass !== 'NONE')
  if (!drugs.length) return new Map()
  const keys = drugs.map(({ id, orderId, unitNo }) => ({ id, orderId, unitNo }))
  const rows = await rowsOf<{ id: number; orgId: number; person: Buffer }>(ctx.db)`
    select k.id, s.org_id as "orgId", s.person
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
      as k(id bigint, "orderId" bigint, "unitNo" int)
    join special_purchases s on s.order_id = k."orderId" and s.unit_no = k."unitNo"
    order by k.id`
  if (!rows.length) return new Map()
  const persons = rows.map(({ person }) => person)
  if (locking) await takeTurns(ctx, persons)
  const taken = await takenBy(ctx, persons)
  const sales = new Map<number, Sale>()
  for (const { id, orgId, person } of rows) {
    const hex = person.toString('hex')
    const packs = (taken.get(hex) ?? 0) + 1
    taken.set(hex, packs)
    const most = await mostOf(ctx.app, orgId)
    sales.set(id, { ...anyBuyer, identified: true, packs, most })
  }
  return sales
}

/** These pieces are taken today. */
export function takenAgain(ctx: Ctx, units: readonly Piece[]): void {
  const drugs = units.filter(({ drugClass }) => drugClass !== 'NONE')
  if (!drugs.length) return
  const keys = drugs.map(({ orderId, unitNo }) => ({ orderId, unitNo }))
  ctx.later(sql`update special_purchases s set day = ${shanghaiDay(ctx.now)}::date
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k("orderId" bigint, "unitNo" int)
    where s.order_id = k."orderId" and s.unit_no = k."unitNo"`)
}
