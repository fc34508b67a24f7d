import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { dayMs, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { devices } from '../contract.ts'
import { licenceEnds } from './queries.ts'

/** Weekdays come equally often. */
const usualDays = 28

/**
 * What these machines usually take in a day: the mean of the four weeks before they stopped, by
 * kept figures, so that standing still does not lower it.
 */
function machines(ctx: Ctx, at: RawBuilder<unknown>, which: RawBuilder<unknown>) {
  const until = sql`least(x.at, ${startOfDay(shanghaiDay(ctx.now))}::timestamptz)`
  return standing(
    ctx.db,
    sql`select (select sum(r.turnover) / ${usualDays} from sales_rollups r
          where r.device_id = x.id and r.org_id = x.org_id and r.grain = 'DAY'
            and r.at >= ${until} - interval '${sql.lit(usualDays)} days' and r.at < ${until}), x.at
      from (select d.id, d.org_id, ${at} as at from devices d
        join device_states s on s.device_id = d.id
        where ${visible(ctx, 'd.org_id', 'd.id')} and ${which}) x`,
  )
}
const same = {
  list: devices.list,
  page: '/device/device-list',
  money: 'dashboard:money',
  per: 'DAY',
} as const

export const standings: readonly Standing[] = [
  {
    ...same,
    key: 'offlineMachines',
    title: bi('离线设备', 'Machines offline'),
    tone: 'offline',
    filter: () => ({ status: 'offline' }),
    act: ['device:update', 'device:reboot', 'fault:create'],
    measure: (ctx) =>
      machines(
        ctx,
        sql`coalesce(s.offline_since, s.last_seen_at, d.created_at)`,
        sql`not s.online and d.lifecycle in ('OPERATING', 'PAUSED')`,
      ),
  },
  {
    ...same,
    key: 'faultyMachines',
    title: bi('故障设备', 'Machines with faults'),
    tone: 'fault',
    filter: () => ({ hasFault: true }),
    act: ['fault:update'],
    measure: (ctx) =>
      machines(
        ctx,
        sql`coalesce((select min(f.opened_at) from device_faults f where f.device_id = d.id
          and f.org_id = d.org_id and f.closed_at is null), ${new Date(ctx.now.getTime() - dayMs)})`,
        sql`s.fault_count > 0`,
      ),
  },
  ...(['EXPIRED', 'SOON'] as const).map(
    (licenceState): Standing => ({
      key: `machineLicences${licenceState}`,
      title:
        licenceState === 'EXPIRED'
          ? bi('售药机许可证已过期', 'Drug licences of machines that have ended')
          : bi('售药机许可证即将到期', 'Drug licences of machines ending soon'),
      tone: licenceState === 'EXPIRED' ? 'fault' : 'warn',
      list: devices.list,
      page: same.page,
      filter: () => ({ licenceState }),
      act: ['device:update'],
      money: null,
      per: 'ONCE',
      measure: (ctx) =>
        standing(
          ctx.db,
          sql`select null::bigint, ${
            licenceState === 'EXPIRED'
              ? sql`(d.licence_until + 1)::timestamp at time zone 'Asia/Shanghai'`
              : sql`null::timestamptz`
          } from devices d
            where ${visible(ctx, 'd.org_id', 'd.id')} and ${licenceEnds(ctx, licenceState)}`,
        ),
    }),
  ),
]
