import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'
import { calendarDue } from '../rules.ts'
import { isYearKnown } from './calendar.ts'

const quietHours = 24 * 7

/**
 * From December on: whoever may import holidays hears once a week that the next year is missing.
 */
export async function remindOfCalendar(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const year = calendarDue(shanghaiDay(ctx.now))
    if (year === null || (await isYearKnown(ctx.db, year))) return
    const told = (key: 'title' | 'body') =>
      bi(locale.zh.todo[key], locale.en.todo[key]).replaceAll('{year}', String(year))
    await notify(ctx, {
      permission: 'setting:update',
      orgId: platformOrg,
      kind: 'SYSTEM',
      title: told('title'),
      body: told('body'),
      link: '/system/calendar',
      quietHours,
    })
  })
}

export async function registerSettingsJobs(app: App): Promise<void> {
  await app.jobs.schedule('calendar-reminder', '20 9 * 12 *', () => remindOfCalendar(app))
}
