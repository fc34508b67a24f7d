import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { isoText, type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { recentFrom } from '../../splits/rules.ts'
import { type ShownParty, StrategyRow, StrategyVersion, type splitStrategies } from '../contract.ts'
import type { Scope } from '../rules.ts'

const parties = sql<ShownParty[]>`coalesce((select json_agg(json_build_object('orgId',
    p.party_org_id, 'referrerId', p.referrer_id, 'name', p.name, 'kind', p.kind, 'ratioBp', p.ratio_bp,
    'isCollector', p.is_collector) order by p.party_no)
  from split_parties p where p.org_id = v.org_id and p.version_id = v.id), '[]')`
const said = {
  configId: sql`v.config_id`,
  merchantName: sql`v.merchant_name`,
  mode: sql`v.mode`,
  feeMode: sql`v.fee_mode`,
  timing: sql`v.timing`,
  timingNumber: sql`v.timing_number`,
  subsidySplit: sql`v.subsidy_split`,
  validFrom: isoText('v.valid_from'),
  note: sql`v.note`,
  laneIds: sql`v.lane_ids`,
  categoryIds: sql`v.category_ids`,
  deviceIds: sql`v.device_ids`,
  versionNo: sql`v.version_no`,
  parties,
}
/** The machines that the actor sees among those that use it. */
const boundIn = (ctx: Ctx) => sql`from split_bindings b where b.strategy_id = s.id
  and b.released_at is null and ${visible(ctx, 'b.org_id', 'b.device_id')}`
/** What organisations above ask at least, in basis points. */
export type Leasts = readonly { readonly id: number; readonly bp: number }[]
/** The largest of them that the version stays below; null: none, or it does not count. */
const below = (leasts: Leasts) => sql`(select max(m.bp) from jsonb_to_recordset(
    ${JSON.stringify(leasts)}::jsonb) as m(id bigint, bp int)
  where s.state = 'PUBLISHED' and m.id <> s.org_id
    and m.id = any(string_to_array(o.path::text, '.')::bigint[])
    and m.bp > coalesce((select p.ratio_bp from split_parties p
      where p.version_id = v.id and p.org_id = v.org_id and p.party_org_id = m.id), 0))`
/** Organisations above those of visible strategies that ask for a share. */
export const asking = (ctx: Ctx) =>
  rowsOf<Above>(ctx.db)`select distinct a.id, a.kind, a.name
    from (select distinct s.org_id from split_strategies s where ${visible(ctx, 's.org_id')}) s
    cross join lateral split_above(s.org_id) a
    where a.id <> s.org_id and a.kind in ('PLATFORM', 'AGENT') order by a.id`

const strategy = (ctx: Ctx, leasts: Leasts = []) =>
  shape(
    StrategyRow,
    ['split_strategies', 's'],
    {
      ...said,
      orgName: sql`o.name`,
      draftNo: sql`(select d.version_no from split_strategy_versions d
        where d.strategy_id = s.id and d.state = 'DRAFT')`,
      deviceCount: sql`(select count(*)::int ${boundIn(ctx)})`,
      // of all its machines: not for whoever sees some of them, by either wall
      recentSplit: sql`case when ${ctx.actor.scope.devices === null}::boolean
          and (select app_devices()) is null
        then (select coalesce(sum(f.given), 0)::bigint from split_days f
          where f.strategy_id = s.id and f.day >= ${recentFrom(ctx.now)}::date) end`,
      least: below(leasts),
      ended: sql`case when s.state = 'PUBLISHED' and v.state = 'PUBLISHED'
        then split_ended(v.id, ${shanghaiDay(ctx.now)}::date) else '{}' end`,
      updateTime: sql`s.updated_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof strategy>

/** A strategy and the version that is shown: what counts, or what is edited. */
const from = (first: 'PUBLISHED' | 'DRAFT') => sql`split_strategies s
  join organisations o on o.id = s.org_id
  join lateral (select * from split_strategy_versions v
    where v.org_id = s.org_id and v.strategy_id = s.id
    order by v.state = ${first} desc, v.version_no desc limit 1) v on true`

export const listRows = (ctx: Ctx, input: Input<typeof splitStrategies.list>, leasts: Leasts) =>
  strategy(ctx, leasts).page(ctx.db, {
    from: from('PUBLISHED'),
    input,
    last: sql`s.id`,
    sort: { name: sql`s.name`, updateTime: sql`s.updated_at` },
    where: [
      visible(ctx, 's.org_id'),
      input.keyword && sql`strpos(lower(s.name), lower(${input.keyword})) > 0`,
      input.orgId && sql`s.org_id = ${input.orgId}`,
      input.configId && sql`v.config_id = ${input.configId}`,
      input.mode && sql`v.mode = ${input.mode}`,
      input.state && sql`s.state = ${input.state}`,
      input.belowLeast !== undefined && sql`${input.belowLeast} = (${below(leasts)} is not null)`,
      input.used !== undefined && sql`${input.used} = exists (select ${boundIn(ctx)})`,
    ],
  })

/** As it is edited. */
export const row = (ctx: Ctx, id: number) =>
  strategy(ctx).one(
    ctx.db,
    sql`from ${from('DRAFT')} where s.id = ${id} and ${visible(ctx, 's.org_id')}`,
  )

/** As its machines sell under it. */
export const counting = (ctx: Ctx, id: number) =>
  strategy(ctx).one(
    ctx.db,
    sql`from ${from('PUBLISHED')} where s.id = ${id} and ${visible(ctx, 's.org_id')}`,
  )
const option = shape(
  StrategyRow.pick({ id: true, name: true, orgId: true, versionNo: true }),
  ['split_strategies', 's'],
  { versionNo: said.versionNo },
)
export const options = (ctx: Ctx, input: Input<typeof splitStrategies.options>) =>
  option.all(
    ctx.db,
    sql`from ${from('PUBLISHED')} where ${visible(ctx, 's.org_id')}
      and (s.id = ${input.id ?? null}::bigint or s.state = 'PUBLISHED'
        and (${input.orgId ?? null}::bigint is null or s.org_id = ${input.orgId ?? null}::bigint)
        and strpos(lower(s.name), lower(${input.keyword ?? ''})) > 0)
      order by s.id = ${input.id ?? null}::bigint desc nulls last, s.name, s.id limit 50`,
  )

/** Merchants that visible strategies are paid under, for a filter. */
export const usedMerchants = (ctx: Ctx) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`select distinct on (v.config_id)
      v.config_id as id, v.merchant_name as name
    from split_strategy_versions v where v.config_id is not null and ${visible(ctx, 'v.org_id')}
    order by v.config_id, v.id desc limit 200`

const version = shape(StrategyVersion, ['split_strategy_versions', 'v'], {
  ...said,
  publishedAt: sql`v.published_at`,
  publishedBy: sql`coalesce(u.real_name, '')`,
})
export const versions = (ctx: Ctx, strategyId: number, only?: readonly number[]) =>
  version.all(
    ctx.db,
    sql`from split_strategy_versions v left join users u on u.id = v.published_by
      where v.strategy_id = ${strategyId} and ${visible(ctx, 'v.org_id')}
        and ${only ? sql`v.version_no = any(${[...only]}::int[])` : sql`true`}
      order by v.version_no desc limit 200`,
  )

export type Above = { id: number; name: string; kind: ShownParty['kind'] }
/** The organisation and everybody above it. */
export const above = (ctx: Ctx, orgId: number) =>
  rowsOf<Above>(ctx.db)`select id, name, kind from split_above(${orgId})`
/** Sponsors and tenants of lanes that the actor sees, the first of them; or those of `ids`. */
export const beside = (ctx: Ctx, ids?: readonly number[]) =>
  rowsOf<Above>(ctx.db)`select o.id, o.name, o.kind from organisations o
    where o.kind in ('SPONSOR', 'LANE_TENANT') and o.status = 'ENABLED' and ${visible(ctx, 'o.id')}
      and ${ids ? sql`o.id = any(${[...ids]}::bigint[])` : sql`true`}
    order by o.name, o.id limit 200`
type Referrer = { id: number; name: string; usualBp: number; ended: boolean }
/** Referrers of the organisation and of those above it, and whom the strategy named before. */
export const referrers = (ctx: Ctx, orgId: number, strategyId = 0) =>
  rowsOf<Referrer>(ctx.db)`select id, name, default_bp as "usualBp", ended
    from split_referrers(${orgId}, ${strategyId}, ${shanghaiDay(ctx.now)}::date) s
    where ${strategyId ? sql`true` : sql`exists (select from referrers r where r.id = s.id and ${visible(ctx, 'r.org_id')})`}`
export const merchants = (ctx: Ctx, orgId: number) =>
  rowsOf<Output<typeof splitStrategies.choices>['merchants'][number]>(ctx.db)`
    select id, org_id as "orgId", provider, merchant_name as name, fee_bp as "feeBp",
      cap_bp as "capBp" from split_merchants(${orgId})`

/** Whom its merchant pays for this organisation, and whether money comes back from there. */
export const receivers = (ctx: Ctx, orgId: number, configIds: readonly (number | null)[]) =>
  rowsOf<{
    configId: number | null
    partyId: number
    registered: boolean
    gives: boolean
  }>(ctx.db)`
    select c.id as "configId", party_org_id as "partyId", state = 'REGISTERED' as registered,
      kind = 'MERCHANT_ID' and return_consent is distinct from false as gives
    from unnest(${[...configIds]}::bigint[]) c(id)
    cross join lateral split_receivers_of(${orgId}, c.id)`

/** What the merchant of a version takes, active or not; none: the simulator. */
export const terms = (ctx: Ctx, configId: number | null) =>
  rowsOf<{ feeBp: number; capBp: number }>(ctx.db)`
    select fee_bp as "feeBp", cap_bp as "capBp" from split_terms(${configId}::bigint)`

/** How long a simulation speaks for what it was about. */
const freshHours = 24
/** Whether it must be simulated before it is published, and was not: exactly this, and lately. */
export const unsimulated = (ctx: Ctx, id: number, hash: string) =>
  exists(ctx.db)`select where split_sold(${id}) and not exists (select from split_simulations m
    where m.strategy_id = ${id} and m.content_hash = ${hash} and m.state = 'DONE'
      and m.created_at > ${new Date(ctx.now.getTime() - freshHours * 3_600_000)}
      and ${visible(ctx, 'm.org_id')})`

/** The strategies of an organisation, held: the last of them is the last when the act ends. */
export const held = (ctx: Ctx, orgId: number) =>
  rowsOf<{ id: number; state: string }>(ctx.db)`select id, state from split_strategies
    where org_id = ${orgId} order by id for update`
type Uses = { machines: number; ever: boolean; owns: boolean }
/** How many machines use it, and whether one ever did, whoever of its people asks. */
export const uses = (ctx: Ctx, id: number) =>
  onlyRow<Uses>(ctx.db)`select machines, ever, owns from split_uses(${id})`
/** Of the ids those that are an organisation's to give: its lanes and machines, goods it may sell. */
export const ofScope = (ctx: Ctx, orgId: number, { laneIds, categoryIds, deviceIds }: Scope) =>
  onlyRow<{ lanes: number; categories: number; machines: number }>(ctx.db)`select
    (select count(*)::int from lanes l where l.id = any(${[...laneIds]}::bigint[])
      and l.org_id = ${orgId} and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')}) as lanes,
    (select count(*)::int from product_categories c
      where c.id = any(${[...categoryIds]}::bigint[])
        and (${inheritable(ctx, 'c.org_id')} or ${visible(ctx, 'c.org_id')})) as categories,
    (select count(*)::int from devices d where d.id = any(${[...deviceIds]}::bigint[])
      and d.org_id = ${orgId} and ${visible(ctx, 'd.org_id', 'd.id')}) as machines`

/** Goods an organisation may sell. */
export const categories = (ctx: Ctx) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`select c.id, c.name from product_categories c
    where ${inheritable(ctx, 'c.org_id')} or ${visible(ctx, 'c.org_id')}
    order by c.sort, c.name, c.id limit 500`
export const lanes = (ctx: Ctx, { deviceId, laneIds }: Input<typeof splitStrategies.lanes>) =>
  rowsOf<Output<typeof splitStrategies.lanes>['list'][number]>(ctx.db)`
    select l.id, l.device_id as "deviceId", d.rtu_number as "rtuNumber", d.nickname,
      l.road_index as road, coalesce(p.name, '') as "productName"
    from lanes l join devices d on d.id = l.device_id left join products p on p.id = l.product_id
    where l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')}
      and (l.device_id = ${deviceId ?? null}::bigint or l.id = any(${laneIds ?? []}::bigint[]))
    order by d.rtu_number, l.road_index limit 1000`

type Taken = Scope & { name: string }
/** What other strategies of the organisation are for, now or from a time that was said. */
export const takenScopes = (ctx: Ctx, orgId: number, but: number) =>
  rowsOf<Taken>(ctx.db)`select s.name, v.lane_ids as "laneIds",
      v.category_ids as "categoryIds", v.device_ids as "deviceIds"
    from split_strategies s join split_strategy_versions v on v.strategy_id = s.id
    where s.org_id = ${orgId} and s.id <> ${but} and s.state = 'PUBLISHED' and ${visible(ctx, 's.org_id')}
      and v.state = 'PUBLISHED' and (v.lane_ids <> '{}' or v.category_ids <> '{}')
      and not exists (select from split_strategy_versions n where n.strategy_id = s.id
        and n.state = 'PUBLISHED' and n.version_no > v.version_no
        and split_counts(n.valid_from, n.published_at, ${ctx.now}))
    order by s.id`

/** Sales ask only those that are for lanes or goods; a version of before may still count. */
export const markScoped = (ctx: Ctx, id: number) =>
  sql`update split_strategies s set scoped = exists (select from split_strategy_versions v
      where v.strategy_id = s.id and v.state = 'PUBLISHED'
        and (v.lane_ids <> '{}' or v.category_ids <> '{}'))
    where s.id = ${id}`.execute(ctx.db)

export const isTaken = (ctx: Ctx, orgId: number, name: string) =>
  exists(ctx.db)`select from split_strategies where org_id = ${orgId} and name = ${name}`
export const draft = (ctx: Ctx, strategyId: number) =>
  rowOf<{ id: number }>(ctx.db)`select id from split_strategy_versions
    where strategy_id = ${strategyId} and state = 'DRAFT' for update`
export const newestNo = (strategyId: number): RawBuilder<number> =>
  sql`(select coalesce(max(version_no), 0) + 1 from split_strategy_versions
    where strategy_id = ${strategyId})`
