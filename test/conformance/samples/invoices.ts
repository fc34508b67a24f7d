import { randomBytes } from 'node:crypto'
import { recordVend, takeCommands } from '../../../src/domains/orders/server/vend.ts'
import { place, restock, rowId, type World, worldNow } from '../../support/world.ts'
import { type DomainSamples, fresh, own, versionOf } from './kit.ts'

const no = () => String(randomBytes(6).readUIntBE(0, 6) % 1e12).padStart(12, '0')
const title = () => ({ title: `抬头${no()}`, taxNo: '91440300MA5FKX2P7Q' })
const fileOf = () => `files/00000000-0000-4000-8000-${no()}.pdf`
/** A request of OWN in this state, of nothing that was sold. */
const made = async (world: World, state: string) => {
  const issued = state === 'ISSUED'
  const id = await fresh(
    world,
    `insert into invoices (org_id, issuer_org_id, request_no, title, tax_no, kind, source, amount,
      tax_rate_bp, tax_amount, state, issued_no, issued_at, file, email, requested_by)
    values (${place.OWN}, ${place.OWN}, 'FP20261121${no()}', '票', '9', 'NORMAL', 'ORDERS', 100,
      1300, 12, '${state}', ${issued ? `'2644${no()}'` : 'null'}, ${issued ? 'now()' : 'null'},
      '${issued ? fileOf() : ''}', 'a@example.com', ${rowId('OWN', 1)})`,
  )
  return { id, version: 1 }
}
/** A sale that is over, of a machine that first gives what other samples left under way. */
async function sold(world: World): Promise<string> {
  const device = rowId('OWN', 1)
  // samples of machines leave it locked, paused, open or sold out
  await world.sql(
    `with s as (update device_states set door_open = false where device_id = $1)
    update devices set lifecycle = 'OPERATING', locked = false where id = $1`,
    [device],
  )
  await restock(world, device, 5)
  for (let turn = 0; turn < 50; turn += 1) {
    await takeCommands(world.app, [device])
    const under = await world.sql<{ cmdId: string }>(
      `select cmd_id as "cmdId" from vend_commands
        where device_id = $1 and state in ('SENT','ACKED','UNKNOWN')`,
      [device],
    )
    if (!under.length) break
    const given = { kind: 'result', deviceId: device, result: 'OK', dropDetected: true } as const
    await world.system((ctx) =>
      recordVend(
        ctx,
        under.map(({ cmdId }) => ({ ...given, cmdId, durationMs: 900, at: worldNow })),
      ),
    )
  }
  return world.sell('OWN', ['OK'])
}
/** An uploaded file of whoever writes. */
const file = async ({ sql }: World) => {
  const url = fileOf()
  await sql(
    `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
      select org_id, id, 'FILE', 'application/pdf', 10, 'x', $1 from users
      where username = 'ROLE_FULL'`,
    [url],
  )
  return url
}

export const invoices: DomainSamples = {
  rows: (where) => ({
    invoice_titles: {
      id: rowId(where, 1),
      org_id: place[where],
      title: `抬头${where}`,
      tax_no: '91440300MA5FKX2P7Q',
    },
    invoices: {
      id: rowId(where, 1),
      org_id: place[where],
      issuer_org_id: place[where],
      request_no: `FP20261120${String(place[where]).padStart(12, '0')}`,
      title: `票${where}`,
      tax_no: '91440300MA5FKX2P7Q',
      kind: 'NORMAL',
      source: 'ORDERS',
      amount: 100,
      tax_rate_bp: 1300,
      tax_amount: 12,
      requested_by: rowId(where, 1),
    },
    invoice_sources: {
      org_id: place[where],
      source: 'ORDERS',
      source_no: `单${where}`,
      invoiced: 100,
    },
    invoice_items: {
      invoice_id: rowId(where, 1),
      org_id: place[where],
      device_id: rowId(where, 1),
      source: 'ORDERS',
      source_no: `单${where}`,
      source_at: '2026-11-20',
      amount: 100,
    },
    invoice_reds: {
      invoice_id: rowId(where, 1),
      org_id: place[where],
      refund_no: `退${where}`,
      created_at: '2026-11-20',
      done_at: '2026-11-20',
    },
  }),
  fieldIds: { titleId: { own: (where) => rowId(where, 1), none: 987_654_321 } },
  samples: {
    'invoices.createTitle': async () => title(),
    'invoices.updateTitle': async (world) => ({
      id: own,
      version: await versionOf(world, 'invoice_titles', own),
      ...title(),
    }),
    'invoices.removeTitle': async (world) => ({
      id: await fresh(
        world,
        `insert into invoice_titles (org_id, title, tax_no)
          values (${place.OWN}, '抬头${no()}', '91440300MA5FKX2P7Q')`,
      ),
      version: 1,
    }),
    'invoices.create': async (world) => ({ titleId: own, sourceNos: [await sold(world)] }),
    'invoices.approve': (world) => made(world, 'PENDING'),
    'invoices.reject': async (world) => ({ ...(await made(world, 'PENDING')), reason: '有误' }),
    'invoices.cancel': (world) => made(world, 'PENDING'),
    'invoices.issue': async (world) => ({
      ...(await made(world, 'ISSUING')),
      issuedNo: `2644${no()}`,
      file: await file(world),
    }),
    'invoices.send': (world) => made(world, 'ISSUED'),
    'invoices.red': async (world) => ({ ...(await made(world, 'ISSUED')), redNo: `2644${no()}` }),
  },
}
