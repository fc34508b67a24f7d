import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { isoText, type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import type { Provider, MerchantState as State } from '../../payment-channels/rules.ts'
import { ConfigRow, type paymentConfigs } from '../contract.ts'
import { type SecretName, secretNames } from '../rules.ts'

type Tails = { readonly [K in SecretName]?: { readonly tail: string; readonly at: string } }
/** Several keys of a channel overlap; the last one counts. */
const certUntil = sql`least(c.cert_until, (select max((k.value ->> 'until')::timestamptz)
  from jsonb_each(c.channel_keys) k))`

const config = (ctx: Pick<Ctx, 'actor'>) =>
  shape(
    ConfigRow.omit({ keys: true }),
    ['payment_configs', 'c'],
    {
      operatorName: sql`o.name`,
      systemId: sql`coalesce(c.system_id, '')`,
      storeCount: sql`(select count(*) from stores s
        where s.payment_config_id = c.id and ${visible(ctx, 's.org_id')})`,
      deviceCount: sql`(select count(*) from stores s join devices d on d.store_id = s.id
        where s.payment_config_id = c.id and ${visible(ctx, 'd.org_id', 'd.id')})`,
      certUntil: isoText(certUntil as never),
      testTime: sql`c.tested_at`,
      testSteps: sql`c.test_steps`,
      createTime: sql`c.created_at`,
    },
    ['callbackUrl', 'can'],
  )
export type Row = Rows<typeof config>
const from = sql`payment_configs c join organisations o on o.id = c.org_id`
const own = (ctx: Pick<Ctx, 'actor'>) => sql`${visible(ctx, 'c.org_id')} and c.removed_at is null`

/** The tails of keys: what is in `secrets` itself leaves the database for its use alone. */
const tailsOf = async (ctx: Pick<Ctx, 'db'>, ids: readonly number[]) => {
  const { rows } = await sql<{ id: number; tails: Tails }>`
    select c.id, c.secret_tails as tails from payment_configs c
    where c.id = any(${[...ids]}::bigint[])`.execute(ctx.db)
  return new Map(rows.map(({ id, tails }) => [id, tails]))
}
export type Shown = Row & Pick<ConfigRow, 'keys'>
async function withTails(ctx: Pick<Ctx, 'db'>, rows: readonly Row[]): Promise<Shown[]> {
  const tails = rows.length
    ? await tailsOf(
        ctx,
        rows.map((row) => row.id),
      )
    : new Map()
  return rows.map((row) => {
    const known = (tails.get(row.id) ?? {}) as Tails
    const one = (name: SecretName) => {
      const { tail = '', at = null } = known[name] ?? {}
      return [name, { set: at !== null, tail, updatedAt: at }]
    }
    return { ...row, keys: Object.fromEntries(secretNames.map(one)) } as Shown
  })
}

export async function listRows(ctx: Ctx, input: Input<typeof paymentConfigs.list>) {
  const { rows, total } = await config(ctx).page(ctx.db, {
    from,
    countFrom: sql`payment_configs c`,
    input,
    last: sql`c.id`,
    sort: {
      createTime: sql`c.created_at`,
      merchantName: sql`c.merchant_name`,
      systemId: sql`c.system_id`,
      feeBp: sql`c.fee_bp`,
      certUntil,
      testTime: sql`c.tested_at`,
    },
    where: [
      own(ctx),
      input.id && sql`c.id = ${input.id}`,
      input.orgId && sql`c.org_id = ${input.orgId}`,
      input.merchantName && sql`strpos(lower(c.merchant_name), lower(${input.merchantName})) > 0`,
      input.systemId && sql`strpos(lower(c.system_id), lower(${input.systemId})) > 0`,
      input.provider && sql`c.provider = ${input.provider}`,
      input.state && sql`c.state = ${input.state}`,
    ],
  })
  return { rows: await withTails(ctx, rows), total }
}

export async function row(ctx: Pick<Ctx, 'db' | 'actor'>, id: number): Promise<Shown | undefined> {
  const found = await config(ctx).one(ctx.db, sql`from ${from} where c.id = ${id} and ${own(ctx)}`)
  return found && (await withTails(ctx, [found]))[0]
}

/**
 * How many machines could not be paid without it: those of its stores, and those of organisations
 * whose nearest merchant of this channel it is.
 */
export async function payingDevices(ctx: Ctx, id: number): Promise<number> {
  const { n } = await onlyRow<{ n: number }>(ctx.db)`
    with c as (select x.id, x.provider, x.state, own.path from payment_configs x
        join organisations own on own.id = x.org_id
        where x.id = ${id} and ${visible(ctx, 'x.org_id')}),
      served as (select b.id from c join organisations b on b.path <@ c.path
        where c.state <> 'UNTESTED' and c.provider in ('WECHAT','ALIPAY')
          and c.id = (select x.id from payment_configs x join organisations a on a.id = x.org_id
            where a.path @> b.path and x.provider = c.provider and x.state <> 'UNTESTED'
              and x.removed_at is null
            order by nlevel(a.path) desc, x.state = 'ACTIVE' desc, x.id limit 1))
    select count(*) as n from c cross join devices d left join stores s on s.id = d.store_id
    left join payment_configs own on own.id = s.payment_config_id and own.provider = c.provider
      and own.state <> 'UNTESTED' and own.removed_at is null
    where ${visible(ctx, 'd.org_id', 'd.id')}
      and d.lifecycle in ('OPERATING','PAUSED')
      and (s.payment_config_id = c.id or (own.id is null and d.org_id in (select id from served)))`
  return Number(n)
}

export type Kept = {
  provider: Provider
  mchId: string
  appId: string
  systemId: string | null
  state: State
  secrets: Buffer
  certSerial: string
  certUntil: Date | null
  channelKeys: Record<string, { pem: string; until: string | null }>
  tails: Tails
  account: Buffer | null
}
/** The row itself, held: nobody pays it, changes or removes it meanwhile. */
export const hold = (ctx: Ctx, id: number) =>
  rowOf<Kept>(ctx.db)`select c.provider, c.mch_id as "mchId", c.app_id as "appId",
      c.system_id as "systemId", c.state, c.secrets, c.cert_serial as "certSerial",
      c.cert_until as "certUntil", c.channel_keys as "channelKeys", c.secret_tails as tails,
      c.settle_account as account
    from payment_configs c where c.id = ${id} and ${own(ctx)} for update`

export const paid = (ctx: Ctx, id: number) =>
  onlyRow<{ unsettled: boolean; ever: boolean }>(ctx.db)`
    select payment_config_unsettled(${id}) as unsettled, payment_config_paid(${id}) as ever`
