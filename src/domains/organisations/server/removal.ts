import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { deleteVersion } from '../../../server/shapes.ts'
import { bi, say } from '../../../shared/text.ts'

/**
 * What an organisation holds; reading stops early where only "some" matters. Whoever
 * never came, the principal or a deleted user, counts as part of it.
 */
function tracesOf(ctx: Ctx, id: number): Promise<Record<keyof typeof words, number>> {
  const some = (from: string) =>
    sql`(select count(*) from (select 1 from ${sql.table(from)} where org_id = ${id} limit 1000) x)`
  return onlyRow<Record<keyof typeof words, number>>(ctx.db)`select
      (select count(*) from organisations where parent_id = ${id}) as children,
      (select count(*) from (select 1 from devices d
        where d.org_id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')} limit 1000) x) as devices,
          ${some('orders')} as orders,
      ${some('ledger_entries')} + ${some('ledger_accounts')} + ${some('payments')} as money,
      (select count(*) from users u where u.org_id = ${id} and u.deleted_at is null
        and not (u.is_principal and not ${leftTraces})) as users,
      (select count(*) from users u where u.org_id = ${id} and u.deleted_at is not null
        and ${leftTraces}) as former,
      ${some('products')} + ${some('product_categories')} as products,
      ${some('device_types')} as types, ${some('roles')} as roles,
      ${some('departments')} as departments`
}
/** He signed in, or did something that is logged. */
const leftTraces = sql`(u.last_login_at is not null
  or exists (select from sessions s where s.user_id = u.id)
  or exists (select from login_attempts a where a.user_id = u.id and a.ok)
  or exists (select from operation_logs l where l.user_id = u.id))`

/** In the order in which it is told. */
const words = {
  children: bi('{n} 个下级机构', '{n} organisations below'),
  devices: bi('{n} 台设备', '{n} devices'),
  orders: bi('订单', 'orders'),
  money: bi('资金记录', 'money records'),
  users: bi('{n} 个用户', '{n} users'),
  former: bi('{n} 个已删除用户的登录和操作记录', 'sign-ins and acts of {n} deleted users'),
  products: bi('商品', 'products'),
  types: bi('设备类型', 'device types'),
  roles: bi('角色', 'roles'),
  departments: bi('部门', 'departments'),
}
/** What there is of it, in words of the asker's language; empty when there is nothing. */
const listed = <K extends string>(
  { lang }: Pick<Ctx, 'lang'>,
  words: Readonly<Record<K, string>>,
  found: Readonly<Record<K, number | boolean>>,
): string =>
  (Object.keys(words) as K[])
    .filter((what) => found[what])
    .map((what) => say(words[what], lang, { n: Number(found[what]) }))
    .join(lang === 'en' ? ', ' : '、')

/** What stands against a deletion. */
export const blocksOf = async (ctx: Ctx, id: number): Promise<string> =>
  listed(ctx, words, await tracesOf(ctx, id))

/** With its principal and deleted users, none of whom ever came. */
export async function deleteWithPeople(
  ctx: Ctx,
  org: { id: number; version: number },
): Promise<void> {
  await sql`delete from users where org_id = ${org.id}
    and (is_principal or deleted_at is not null)`.execute(ctx.db)
  await deleteVersion(ctx, 'organisations', org)
}

/**
 * What machines, lanes, goods and people below use of organisations that would stand above them no
 * longer.
 */
export async function usesOf(ctx: Ctx, path: string, lost: readonly number[]): Promise<string> {
  if (!lost.length) return ''
  const branch = sql`(select id from organisations where path <@ ${path}::ltree)`
  const theirs = (column: string) => sql`${sql.ref(column)} = any(${[...lost]}::bigint[])`
  const used = await onlyRow<Record<keyof typeof usable, boolean>>(ctx.db)`select
      exists (select from devices d join device_types t on t.id = d.type_id
        where d.org_id in ${branch} and ${theirs('t.org_id')}) as types,
      exists (select from lanes l join products p on p.id = l.product_id
        where l.org_id in ${branch} and l.archived_at is null
          and ${theirs('p.org_id')}) as products,
      exists (select from products p join product_categories c on c.id = p.category_id
        where p.org_id in ${branch} and ${theirs('c.org_id')}) as categories,
      exists (select from user_roles ur join roles r on r.id = ur.role_id
        where ur.org_id in ${branch} and ${theirs('r.org_id')}) as roles,
      exists (select from lane_layers y join batches b on b.id = y.batch_id
        where y.org_id in ${branch} and ${theirs('b.org_id')})
        or exists (select from batches b join products p on p.id = b.product_id
        where b.org_id in ${branch} and ${theirs('p.org_id')}) as batches,
      exists (select from suppliers s
        where s.supplier_org_id in ${branch} and ${theirs('s.org_id')}) as suppliers`
  return listed(ctx, usable, used)
}
const usable = {
  types: bi('设备类型', 'device types'),
  products: bi('商品', 'products'),
  categories: bi('商品分类', 'product categories'),
  roles: bi('角色', 'roles'),
  batches: bi('商品批次', 'batches of goods'),
  suppliers: bi('供应商资料', 'supplier entries'),
}
