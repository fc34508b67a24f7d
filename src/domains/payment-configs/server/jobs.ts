import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import type { Provider } from '../../payment-channels/rules.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { tellsOf } from '../rules.ts'
import { trial } from './trials.ts'

type Checked = {
  id: number
  orgId: number
  name: string
  provider: Provider
  version: number
  daysLeft: number | null
}

/**
 * Once a day: merchants that take money are asked whether they still would, and people are told of
 * certificates before they end.
 */
export async function checkConfigs(app: App): Promise<void> {
  const all = await app.database.read(
    systemScope,
    (db) => rowsOf<Checked>(db)`
      select c.id, c.org_id as "orgId", c.merchant_name as name, c.provider, c.version,
        floor(extract(epoch from least(c.cert_until, (select max((k.value ->> 'until')::timestamptz)
          from jsonb_each(c.channel_keys) k)) - ${app.now()}) / 86400)::int as "daysLeft"
      from payment_configs c
      where c.state = 'ACTIVE' and c.removed_at is null and c.provider in ('WECHAT','ALIPAY')
      order by c.id`,
  )
  for (const config of all) await checkOne(app, config)
}

const link = '/finance/payment-list'
async function checkOne(app: App, config: Checked): Promise<void> {
  const { steps, ok, sure } = await trial(app, config)
  const { daysLeft, name } = config
  await bySystem(app, async (ctx) => {
    const { numAffectedRows } = await sql`update payment_configs
      set tested_at = ${ctx.now}, test_steps = ${JSON.stringify(steps)}::jsonb,
        state = case when ${!ok && sure} then 'ERROR' else state end, version = version + 1
      where id = ${config.id} and version = ${config.version} and state = 'ACTIVE'`.execute(ctx.db)
    // somebody changed it meanwhile: what was asked is of before
    if (!numAffectedRows) return
    const to = { permission: 'payment-config:update', orgId: config.orgId, orAbove: true } as const
    const note = { kind: 'SYSTEM', link: `${link}?id=${config.id}`, ...to } as const
    if (!ok && sure)
      await notify(ctx, {
        ...note,
        title: bi(`收款配置异常：${name}`, `A merchant cannot be paid: ${name}`),
        body: bi('验证未通过，相关设备已停止收款', 'It was not verified; its machines are stopped'),
      })
    else if (daysLeft !== null && tellsOf(daysLeft))
      await notify(ctx, {
        ...note,
        title: bi(`收款证书将到期：${name}`, `A certificate of ${name} ends soon`),
        body: bi(`剩余${daysLeft}天，请及时更新`, `${daysLeft} days are left: replace it in time`),
      })
    ctx.touch('payment-configs', [config.orgId])
    ctx.afterCommit(() => configsChanged(app))
  })
}

export async function registerConfigJobs(app: App): Promise<void> {
  await app.jobs.schedule('payment-configs-check', '10 6 * * *', () => checkConfigs(app))
}
