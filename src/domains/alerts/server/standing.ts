import { sql } from 'kysely'
import { visible } from '../../../server/context.ts'
import { type Standing, standing } from '../../../server/standing.ts'
import { bi } from '../../../shared/text.ts'
import { alerts } from '../contract.ts'

const titles = {
  ERROR: bi('未处理严重告警', 'Serious alarms nobody has taken'),
  WARN: bi('未处理一般告警', 'Warnings nobody has taken'),
} as const

export const standings: readonly Standing[] = (['ERROR', 'WARN'] as const).map((level) => ({
  key: `alerts${level}`,
  title: titles[level],
  tone: level === 'ERROR' ? 'fault' : 'warn',
  list: alerts.list,
  filter: () => ({ state: 'OPEN', level }),
  page: '/device/alerts',
  act: ['alarm:handle'],
  money: null,
  per: 'ONCE',
  measure: (ctx) =>
    standing(
      ctx.db,
      // what is not closed has an index of its own
      sql`select null::bigint, a.opened_at from alerts a
        where ${visible(ctx, 'a.org_id', 'a.device_id')} and a.state <> 'CLOSED'
          and a.state = 'OPEN' and a.level = ${level}`,
    ),
}))
