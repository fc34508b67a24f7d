import type { App, Ctx } from '../../../server/context.ts'
import { licenceEnding } from '../../../server/licences.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { licenceMessage } from '../../../shared/licences.ts'
import { notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'

type Due = {
  orgId: number
  supplierOrgId: number | null
  name: string
  until: string
  daysLeft: number
}
const atOnce = 100

/**
 * At eight: who buys from a supplier, and the supplier himself, hear that his licence ends in 30, 7
 * or 1 days, and that it has ended; each once for a date, however often this runs. What was missed
 * is said as the step that is reached.
 */
export async function watchLicences(app: App): Promise<void> {
  while ((await bySystem(app, tell)) === atOnce);
}

async function tell(ctx: Ctx): Promise<number> {
  const { left, step, due: ending } = licenceEnding('s', 'licence_until', ctx.now)
  const due = await rowsOf<Due>(ctx.db)`
    update suppliers u set licence_told_for = s.licence_until, licence_told_days = s.step
    from (select s.*, ${step} as step, ${left} as left from suppliers s
      where s.status = 'ENABLED' and ${ending}
      order by s.id limit ${atOnce} for no key update) s
    where u.id = s.id returning u.org_id as "orgId", u.supplier_org_id as "supplierOrgId", u.name,
      u.licence_until as until, s.left as "daysLeft"`
  await notify(
    ctx,
    due.flatMap(({ orgId, supplierOrgId, ...licence }) => {
      const note = {
        kind: 'SYSTEM' as const,
        ...licenceMessage({ zh: locale.zh.licence, en: locale.en.licence }, licence),
        link: `/product/supplier-batch?licenceState=${licence.daysLeft < 0 ? 'EXPIRED' : 'SOON'}`,
      }
      return [
        { ...note, permission: 'supplier:update', orgId, orAbove: true as const },
        ...(supplierOrgId === null
          ? []
          : [{ ...note, permission: 'supplier:read', orgId: supplierOrgId }]),
      ]
    }),
  )
  ctx.touch('suppliers', due)
  return due.length
}
