import type { App, Ctx } from '../../../server/context.ts'
import { licenceEnding } from '../../../server/licences.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { licenceMessage } from '../../../shared/licences.ts'
import { notify } from '../../notices/server/notify.ts'
import { locale } from '../locale.ts'

const atOnce = 500

/**
 * At eight: who answers for drug machines hears that their licence ends in 30, 7 or 1 days, and
 * that it has; the same of a pharmacist, who hears it himself. What stops then, stops by the date:
 * drugs are not sold under a licence that is over (`canPlace`), and nobody is on duty with one.
 */
export async function watchDrugLicences(app: App): Promise<void> {
  while ((await bySystem(app, tellOfMachines)) === atOnce);
  while ((await bySystem(app, tellOfPharmacists)) === atOnce);
}

const textsOf = (of: 'machineLicence' | 'pharmacistLicence') => ({
  zh: locale.zh[of],
  en: locale.en[of],
})

type Machine = { orgId: number; rtuNumber: string; licenceNo: string; until: string; left: number }

/** One licence may be that of many machines: people hear of it once. */
async function tellOfMachines(ctx: Ctx): Promise<number> {
  const { left, step, due } = licenceEnding('d', 'licence_until', ctx.now)
  const rows = await rowsOf<Machine>(ctx.db)`
    update devices u set licence_told_for = s.licence_until, licence_told_days = s.step
    from (select d.id, d.licence_until, ${step} as step, ${left} as left from devices d
      where d.kind = 'DRUG' and d.lifecycle in ('OPERATING','PAUSED') and ${due}
      order by d.org_id, d.licence_no, d.id limit ${atOnce} for no key update skip locked) s
    where u.id = s.id returning u.org_id as "orgId", u.rtu_number as "rtuNumber",
      u.licence_no as "licenceNo", u.licence_until as until, s.left`
  const licences = Map.groupBy(rows, ({ orgId, licenceNo, until }) =>
    JSON.stringify([orgId, licenceNo, until]),
  )
  await notify(
    ctx,
    [...licences.values()].flatMap((machines) => {
      const [first] = machines
      if (!first) return []
      const { orgId, licenceNo, until, left: daysLeft } = first
      const names = machines.map(({ rtuNumber }) => rtuNumber).toSorted()
      const shown = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`
      const values = { licenceNo, until, daysLeft, count: names.length, machines: shown }
      return {
        kind: 'SYSTEM' as const,
        ...licenceMessage(textsOf('machineLicence'), values),
        link: '/device/device-list?kind=DRUG',
        ...{ permission: 'device:update', orgId, orAbove: true as const },
      }
    }),
  )
  ctx.touch(
    'devices',
    rows.map(({ orgId }) => orgId),
  )
  return rows.length
}

type Pharmacist = { userId: number; orgId: number; name: string; until: string; left: number }

async function tellOfPharmacists(ctx: Ctx): Promise<number> {
  const { left, step, due } = licenceEnding('h', 'valid_until', ctx.now)
  const rows = await rowsOf<Pharmacist>(ctx.db)`
    update pharmacists u set licence_told_for = s.valid_until, licence_told_days = s.step
    from (select h.user_id, h.valid_until, p.real_name, ${step} as step, ${left} as left
      from pharmacists h join users p on p.id = h.user_id and p.deleted_at is null
        and p.status = 'ENABLED'
      where ${due} order by h.user_id limit ${atOnce} for no key update of h) s
    where u.user_id = s.user_id returning u.user_id as "userId", u.org_id as "orgId",
      s.real_name as name, u.valid_until as until, s.left`
  await notify(
    ctx,
    rows.flatMap(({ userId, orgId, left: daysLeft, ...values }) => {
      const note = {
        kind: 'SYSTEM' as const,
        ...licenceMessage(textsOf('pharmacistLicence'), { ...values, daysLeft }),
      }
      return [
        { ...note, link: '/stock/drug-control', userIds: [userId] },
        {
          ...{ ...note, link: '/organ/organ-user', permission: 'user:update' },
          ...{ orgId, orAbove: true as const },
        },
      ]
    }),
  )
  return rows.length
}
