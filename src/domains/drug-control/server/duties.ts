import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type App, type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { isoText } from '../../../server/shapes.ts'
import { clock } from '../../../server/work.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { dutySeconds } from '../../drug-guard/rules.ts'
import { stillThere } from '../../drug-guard/server/facts.ts'
import { notify } from '../../notices/server/notify.ts'
import { type drugControl, dutyErrors } from '../contract.ts'
import { type Duties, mostDutyStores } from '../dutyContract.ts'

type Contract = typeof drugControl

/** A page that was forgotten open does not stand in for anybody for longer. */
const mostHours = 12
const goesOn = (app: App) => sql<boolean>`(${stillThere(app)}
  and a.began_at > ${clock(app)} - make_interval(hours => ${mostHours}))`

const licenceOf = (ctx: Ctx, locking = sql``) =>
  rowOf<NonNullable<Duties['licence']> & { name: string }>(ctx.db)`
    select u.real_name as name, h.licence_no as "licenceNo", h.valid_until as "validUntil",
      h.valid_until >= ${shanghaiDay(ctx.now)}::date as valid
    from pharmacists h join users u on u.id = h.user_id
    where h.user_id = ${ctx.actor.userId} and h.org_id = ${ctx.actor.orgId} ${locking}`

const duties: Handlers<Contract>['duties'] = async (ctx) => {
  type Store = Omit<Duties['stores'][number], 'can' | 'orgName'> & {
    orgId: number
    orgName: string
  }
  const [licence, stores] = await Promise.all([
    licenceOf(ctx),
    rowsOf<Store>(ctx.db)`
      select x.store_id as "storeId", x.org_id as "orgId",
        -- whoever watches a region sees no stores: whose it is says where
        coalesce(s.store_name, case when x.store_id is not null then o.name end, '') as "storeName",
        coalesce(o.name, '') as "orgName", x.machines::int, coalesce(n.people, '[]') as people
      from (select d.org_id, d.store_id, count(*) as machines from devices d
        where d.dispensing_mode = 'PHARMACIST' and d.kind = 'DRUG'
          and d.lifecycle in ('OPERATING', 'PAUSED') and ${visible(ctx, 'd.org_id', 'd.id')}
        group by 1, 2) x
      left join stores s on s.id = x.store_id left join organisations o on o.id = x.org_id
      left join lateral (select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name,
          'place', a.place, 'beganAt', ${isoText('a.began_at')},
          'own', a.user_id = ${ctx.actor.userId ?? 0}::bigint) order by a.began_at) as people
        from pharmacist_duties a
        where a.store_id = x.store_id and a.ended_at is null and ${stillThere(ctx.app)}) n on true
      order by n.people is not null, x.machines desc, x.org_id, x.store_id limit ${mostDutyStores}`,
  ])
  return {
    licence: licence
      ? { licenceNo: licence.licenceNo, validUntil: licence.validUntil, valid: licence.valid }
      : null,
    stores: stores.map(({ orgId, ...store }) => ({
      ...store,
      can: Boolean(licence?.valid) && store.storeId !== null && orgId === ctx.actor.orgId,
    })),
  }
}

/** As long as they were heard of; what lies ahead, by a clock that was set back, ends now. */
const endThose = (ctx: Pick<Ctx, 'app' | 'db'>, which: RawBuilder<unknown>) =>
  rowsOf<{ userId: number; orgId: number; storeId: number | null; storeName: string }>(ctx.db)`
    update pharmacist_duties a set ended_at = least(${clock(ctx.app)},
      a.seen_at + make_interval(secs => ${dutySeconds}))
    where a.ended_at is null and ${which}
    returning a.user_id as "userId", a.org_id as "orgId", a.store_id as "storeId",
      a.store_name as "storeName"`

const goOnDuty: Handlers<Contract>['goOnDuty'] = async (ctx, { storeId, place, takeOver }) => {
  const { userId } = ctx.actor
  // nobody goes to two places at once, and at a store one after the other
  const licence = await licenceOf(ctx, sql`for no key update of h`)
  const store = found(
    await rowOf<{ orgId: number; name: string }>(ctx.db)`
      select s.org_id as "orgId", s.store_name as name from stores s
      where s.id = ${storeId} and ${visible(ctx, 's.org_id')} for no key update`,
  )
  if (!licence?.valid) throw new Refusal(dutyErrors.noLicence)
  if (store.orgId !== ctx.actor.orgId) throw new Refusal(dutyErrors.otherStore)
  // one that lapsed is over; on site he is here and nowhere else
  const own = sql`a.user_id = ${userId} and (a.store_id = ${storeId} or not ${goesOn(ctx.app)}
    ${place === 'ONSITE' ? sql`or a.place = 'ONSITE'` : sql``})`
  const others = takeOver ? sql`or a.store_id = ${storeId}` : sql``
  const ended = await endThose(ctx, sql`(${own} ${others})`)
  await sql`insert into pharmacist_duties (org_id, store_id, user_id, place, store_name, name,
      licence_no, began_at, seen_at)
    values (${store.orgId}, ${storeId}, ${userId}, ${place}, ${store.name}, ${licence.name},
      ${licence.licenceNo}, ${clock(ctx.app)}, ${clock(ctx.app)})`.execute(ctx.db)
  const relieved = ended.filter((one) => one.userId !== userId).map((one) => one.userId)
  const after = { place, licenceNo: licence.licenceNo, relieved }
  ctx.audit({ id: storeId, name: store.name, orgId: store.orgId, after })
  ctx.touch('duties', store.orgId)
  if (relieved.length)
    await notify(ctx, {
      kind: 'SYSTEM',
      userIds: relieved,
      title: bi(`${store.name} 的值守已被接班`, `Somebody took over your duty at ${store.name}`),
      body: bi('', ''),
      link: '/stock/drug-control',
    })
  return { ok: true }
}

const beat: Handlers<Contract>['beat'] = async (ctx) => {
  const stores = await rowsOf<{ name: string }>(ctx.db)`
    update pharmacist_duties a set seen_at = ${clock(ctx.app)} from stores s
    where s.id = a.store_id and a.user_id = ${ctx.actor.userId} and a.ended_at is null
      and ${goesOn(ctx.app)}
    returning s.store_name as name`
  return { stores: stores.map(({ name }) => name) }
}

const goOffDuty: Handlers<Contract>['goOffDuty'] = async (ctx, { id }) => {
  const [ended] = await endThose(ctx, sql`a.id = ${id} and a.user_id = ${ctx.actor.userId}`)
  if (!ended) throw new Refusal(common.notFound)
  ctx.audit({ id: ended.storeId ?? '', name: ended.storeName, orgId: ended.orgId })
  ctx.touch('duties', ended.orgId)
  return { ok: true }
}

export const dutyHandlers = { duties, goOnDuty, beat, goOffDuty }

/** Who was not heard of is not there any more, and hears so. */
export async function endLapsed(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const ended = await endThose(ctx, sql`not ${goesOn(app)}`)
    ctx.touch('duties', ended)
    if (ended.length)
      await notify(ctx, {
        kind: 'SYSTEM',
        userIds: [...new Set(ended.map(({ userId }) => userId))],
        title: bi('您的药师值守已失效', 'Your duty as a pharmacist has lapsed'),
        body: bi(
          '超过 3 分钟未收到心跳或连续值守已满 12 小时，请重新上岗。',
          'Nothing was heard for three minutes, or it lasted twelve hours: go on duty again.',
        ),
        link: '/stock/drug-control',
      })
  })
}
