import { randomUUID } from 'node:crypto'
import { place, rowId, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, missingId, own, type Source } from './kit.ts'

/** One of every place; its lane is the filled one with the lowest road. */
const clientId = (where: keyof typeof place) =>
  `00000000-0000-4000-8000-${String(rowId(where, 1)).padStart(12, '0')}`
/** Numbered by the database, place after place. */
const nth = (where: keyof typeof place) => Object.keys(place).indexOf(where) + 1
const today = '2026-11-21'
const noDay = '2020-01-01'
const lane: Source = { own: (where) => rowId(where, 1), none: missingId }

/** A visit of whoever holds everything, in progress unless it is said otherwise. */
async function visit({ sql }: World, state: 'DRAFT' | 'SUBMITTED' = 'DRAFT') {
  await sql(
    `update replenishment_visits set state = 'CANCELLED'
    where state = 'DRAFT' and device_id = $1`,
    [own],
  )
  const [row] = await sql<{ id: string; client_id: string }>(
    `insert into replenishment_visits (client_id, org_id, device_id, user_id, source, state,
      started_at, submitted_at)
      values (gen_random_uuid(), 3, $1, (select id from users where username = 'ROLE_FULL'),
        'PANEL', $2, $3, case when $2 = 'SUBMITTED' then $3::timestamptz end)
      returning id, client_id`,
    [own, state, worldNow],
  )
  const id = Number(row?.id)
  await sql(
    `insert into replenishment_items (org_id, device_id, visit_id, lane_id, road_index,
      product_id, counted_qty, counted_at, done_at)
      select 3, $1, $2, l.id, l.road_index, l.product_id, l.quantity, $3, $3 from lanes l
      where l.id = $1`,
    [own, id, worldNow],
  )
  return { id, clientId: row?.client_id as string }
}

export const replenishment: DomainSamples = {
  rows: (where) => ({
    pick_lists: {
      org_id: place[where],
      user_id: rowId(where, 1),
      devices: 1,
      pieces: 3,
      created_at: worldNow,
    },
    pick_list_items: {
      org_id: place[where],
      pick_list_id: nth(where),
      device_id: rowId(where, 1),
      lane_id: rowId(where, 1),
      product_id: rowId(where, 1),
      planned: 3,
    },
    replenishment_visits: {
      client_id: clientId(where),
      org_id: place[where],
      device_id: rowId(where, 1),
      user_id: rowId(where, 1),
      source: 'PANEL',
      state: 'CANCELLED',
      started_at: worldNow,
      reason: `因${where}`,
    },
    visit_conflicts: {
      org_id: place[where],
      device_id: rowId(where, 1),
      visit_id: nth(where),
      lane_id: rowId(where, 1),
      road_index: 1,
      product_id: rowId(where, 1),
      kind: 'PRODUCT_CHANGED',
      added_qty: 2,
      created_at: worldNow,
    },
  }),
  pathIds: {
    'replenishment-visits id': {
      own: (where) => nth(where),
      none: missingId,
    },
    'replenishment-visits laneId': lane,
    'replenishment-visits clientId': {
      own: clientId,
      none: '00000000-0000-4000-8000-999999999999',
    },
    'replenishment-tasks laneId': lane,
    'my-routes deviceId': byRow,
    // a day is nobody's row: the others ask for one that nobody has
    'my-routes date': {
      own: (where) => (['OWN', 'CHILD'].includes(where) ? today : noDay),
      none: noDay,
    },
    'replenishment-conflicts id': { own: (where) => nth(where), none: missingId },
    'pick-lists id': { own: (where) => nth(where), none: missingId },
  },
  fieldIds: {
    laneId: lane,
    'items.laneId': lane,
    'ops.laneId': lane,
    'replenishment-tasks userId': byRow,
    'replenishment-visits userId': byRow,
    'replenishment-conflicts userId': byRow,
    'my-routes userId': byRow,
    'items.batchId': { ...byRow, shared: true },
    'ops.batchId': { ...byRow, shared: true },
    'ops.productId': { ...byRow, shared: true },
    batchId: { ...byRow, shared: true },
    deviceIds: byRow,
    'products.productId': { ...byRow, shared: true },
    pickListId: { own: (where) => nth(where), none: missingId },
  },
  samples: {
    'replenishment.start': async () => ({ deviceId: own, clientId: randomUUID(), pickListId: 3 }),
    'replenishment.saveItems': async (world) => ({
      id: (await visit(world)).id,
      items: [{ laneId: own, addedQty: 1 }],
    }),
    'replenishment.saveItem': async (world) => ({
      id: (await visit(world)).id,
      laneId: own,
      addedQty: 1,
    }),
    'replenishment.ops': async (world) => ({
      clientId: (await visit(world)).clientId,
      sentAt: worldNow.toISOString(),
      ops: [
        {
          opId: randomUUID(),
          clientSeq: 1,
          kind: 'COUNT',
          laneId: own,
          productId: own,
          qty: 3,
          madeAt: worldNow.toISOString(),
        },
      ],
    }),
    'replenishment.submit': async (world) => ({ id: (await visit(world)).id }),
    'replenishment.cancel': async (world) => ({ id: (await visit(world)).id }),
    'replenishment.approve': async (world) => ({ id: (await visit(world, 'SUBMITTED')).id }),
    'replenishment.reject': async (world) => ({
      id: (await visit(world, 'SUBMITTED')).id,
      reason: '重复',
    }),
    'replenishment.postLane': async () => ({ laneId: own, addedQty: 1 }),
    'replenishment.correct': async () => ({ laneId: own, countedQty: 4, reason: '录错' }),
    'replenishment.resolveConflict': async (world) => {
      const { id } = await visit(world)
      const [row] = await world.sql<{ id: string }>(
        `insert into visit_conflicts (org_id, device_id, visit_id, lane_id, road_index,
          product_id, kind, added_qty, created_at)
          values (3, $1, $2, $1, 1, $1, 'PRODUCT_CHANGED', 2, $3) returning id`,
        [own, id, worldNow],
      )
      return { id: Number(row?.id), choice: 'NOT_PUT' }
    },
    'replenishment.orderRoute': async () => ({ date: today, deviceIds: [own] }),
    'replenishment.loadRoute': async () => ({
      date: today,
      products: [{ productId: own, qty: 3 }],
    }),
    'replenishment.skipStop': async () => ({ date: today, deviceId: own, reason: 'OTHER' }),
    'replenishment.unskipStop': async (world) => {
      await world.sql(
        `insert into route_skips (user_id, day, device_id, org_id, reason, at)
          values ((select id from users where username = 'ROLE_FULL'), $1, $2, 3, 'OTHER', $3)
          on conflict do nothing`,
        [today, own, worldNow],
      )
      return { date: today, deviceId: own }
    },
    'replenishment.pick': async () => ({ deviceIds: [own] }),
  },
}
