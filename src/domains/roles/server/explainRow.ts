import { sql } from 'kysely'
import { type Ctx, inheritable, may, visible } from '../../../server/context.ts'
import type { Scope } from '../../../server/database.ts'
import type { Person } from '../../../server/person.ts'
import { exists } from '../../../server/rows.ts'
import { dayOfOrderNumber } from '../../../shared/ids.ts'
import { dayMs, startOfDay } from '../../../shared/instants.ts'
import type { RowAnswer } from '../explained.ts'
import { type Right, rowRule } from '../reasons.ts'

type Resource = RowAnswer['resource']
type Found = Pick<RowAnswer, 'id' | 'number' | 'name' | 'orgName'> & {
  orgId: number
  deviceId: number | null
  drug: boolean
}

/** The read that shows rows of each kind. */
const readOfKind: Readonly<Record<Resource, string>> = {
  device: 'device:read',
  order: 'order:read',
  product: 'product:read',
  user: 'user:read',
  organisation: 'org:read',
}

const of = (owner: string) => sql`${sql.ref(owner)} as "orgId", coalesce(o.name, '') as "orgName"`

/**
 * The row by number or id, as far as the asker sees it himself: an explanation tells nobody of rows
 * that are not his.
 */
async function find(ctx: Ctx, resource: Resource, wanted: string): Promise<Found | undefined> {
  const id = /^[1-9]\d{0,14}$/.test(wanted) ? Number(wanted) : 0
  // the number begins with its day, so that one partition is read
  const day = startOfDay(dayOfOrderNumber(wanted))
  if (resource === 'order' && (!/^\d{20}$/.test(wanted) || Number.isNaN(day.getTime())))
    return undefined
  const query = {
    device:
      () => sql<Found>`select d.id, d.rtu_number as number, d.nickname as name, ${of('d.org_id')},
        d.id as "deviceId", d.kind = 'DRUG' as drug
      from devices d left join organisations o on o.id = d.org_id
      where (d.rtu_number = ${wanted.toUpperCase()} or d.id = ${id})
        and ${visible(ctx, 'd.org_id', 'd.id')} order by d.rtu_number = ${wanted.toUpperCase()} desc
        limit 1`,
    order: () => sql<Found>`select null::bigint as id, t.order_num as number, '' as name,
        ${of('t.org_id')}, t.device_id as "deviceId", false as drug
      from orders t left join organisations o on o.id = t.org_id
      where t.order_num = ${wanted} and t.created_at >= ${day}
        and t.created_at < ${new Date(day.getTime() + dayMs)}
        and ${visible(ctx, 't.org_id', 't.device_id')} limit 1`,
    product:
      () => sql<Found>`select p.id, coalesce(nullif(p.barcode, ''), p.id::text) as number, p.name,
        ${of('p.org_id')}, null::bigint as "deviceId", p.drug_class <> 'NONE' as drug
      from products p left join organisations o on o.id = p.org_id
      where (p.id = ${id} or p.barcode = ${wanted}) and ${inheritable(ctx, 'p.org_id')}
      order by p.barcode = ${wanted} desc, p.id limit 1`,
    user: () => sql<Found>`select u.id, u.username as number, u.real_name as name,
      ${of('u.org_id')}, null::bigint as "deviceId", false as drug
      from users u left join organisations o on o.id = u.org_id
      where (u.id = ${id} or lower(u.username) = lower(${wanted})) and u.deleted_at is null
        and ${visible(ctx, 'u.org_id')} order by lower(u.username) = lower(${wanted}) desc limit 1`,
    organisation: () => sql<Found>`select o.id, o.code as number, o.name, ${of('o.id')},
        null::bigint as "deviceId", false as drug
      from organisations o where (o.id = ${id} or o.code = upper(${wanted}))
        and ${visible(ctx, 'o.id')} order by o.code = upper(${wanted}) desc limit 1`,
  }[resource]
  return (await query().execute(ctx.db)).rows[0]
}

/** Whether the product lies in one of these machines, as far as the asker sees them. */
async function placedIn(
  ctx: Ctx,
  productId: number | null,
  watched: readonly number[] | null,
): Promise<boolean> {
  if (!watched?.length) return false
  return exists(ctx.db)`select 1 from lanes l where l.product_id = ${productId}
    and l.device_id = any(${[...watched]}::bigint[])
    and ${visible(ctx, 'l.org_id', 'l.device_id')} limit 1`
}

/** What the person has of a code; `drugsOnly` of products. */
type Reach = (code: string) => Right & { scope: Scope; drugsOnly: boolean }

export async function explainRow(
  ctx: Ctx,
  { resource, wanted, asker }: { resource: Resource; wanted: string; asker: Person | null },
  reach: Reach,
): Promise<RowAnswer> {
  const permission = readOfKind[resource]
  // with the rows that his own read of the kind reaches
  const mine =
    asker && may(ctx, permission)
      ? {
          ...ctx,
          actor: { ...ctx.actor, scope: asker.scopeOf(permission as `${string}:${string}`) },
        }
      : null
  const row = mine ? await find(mine, resource, wanted) : undefined
  if (!row)
    return {
      resource,
      id: null,
      number: wanted,
      name: '',
      orgName: '',
      permission,
      visible: false,
      rule: 'NOT_FOUND',
    }
  const right = reach(permission)
  const judged = right.granted
    ? rowRule(right.scope, right.scopes, {
        ...row,
        shared: resource === 'product',
        watched: resource === 'product' && (await placedIn(ctx, row.id, right.scope.watched)),
        barred: right.drugsOnly && resource === 'product' && !row.drug,
      })
    : { visible: false, rule: 'NO_RIGHT' as const }
  const { id, number, name, orgName } = row
  return { resource, id, number, name, orgName, permission, ...judged }
}
