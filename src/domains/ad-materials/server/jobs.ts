import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { toldDays } from '../rules.ts'

type Ending = { id: number; orgId: number; name: string; left: number }

/** Once at each threshold: a week before the last day of a material, and when it is over. */
export async function tellEnding(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const today = shanghaiDay(ctx.now)
    const rows = await rowsOf<Ending>(ctx.db)`
      with due as (select id, (case when valid_until < ${today}::date then 0 else ${toldDays} end)
          as threshold from ad_materials
        where valid_until <= ${today}::date + ${toldDays}::int and state <> 'REJECTED' for update)
      update ad_materials m set told_days = due.threshold from due
      where m.id = due.id and (m.told_days is null or m.told_days > due.threshold)
      returning m.id, m.org_id as "orgId", m.name, m.valid_until - ${today}::date as left`
    await notify(
      ctx,
      rows.map(({ id, orgId, name, left }) => ({
        kind: 'SYSTEM' as const,
        permission: 'ad-material:update',
        ...{ orgId, orAbove: true as const },
        link: `/market/market-manage?detail=${id}`,
        title:
          left < 0
            ? bi(`广告素材已到期：${name}`, `An ad material has ended: ${name}`)
            : bi(
                `广告素材还有${left}天到期：${name}`,
                `An ad material ends in ${left} days: ${name}`,
              ),
        body: bi(
          '到期后不再下发到设备，请替换文件或延长有效期',
          'Then machines play it no more; replace the file or move its last day',
        ),
      })),
    )
  })
}

export async function registerMaterialJobs(app: App): Promise<void> {
  await app.jobs.schedule('ad-material-expiry', '0 7 * * *', () => tellEnding(app))
}
