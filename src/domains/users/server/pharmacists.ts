import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { guarding } from '../../../server/shapes.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { pharmacistErrors, type users } from '../contract.ts'
import { named, subject } from './people.ts'

type Contract = typeof users
type Licence = { licenceNo: string; validUntil: string | null }

const licenceOf = (ctx: Ctx, id: number) =>
  rowOf<Licence>(ctx.db)`
    select coalesce(h.licence_no, '') as "licenceNo", h.valid_until as "validUntil"
    from users u left join pharmacists h on h.user_id = u.id
    where u.id = ${id} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`

const unique = guarding({
  pharmacists_org_id_licence_no_key: [pharmacistErrors.licenceTaken, 'licenceNo'],
})

const pharmacist: Handlers<Contract>['pharmacist'] = async (ctx, { id }) => ({
  id,
  ...found(await licenceOf(ctx, id)),
})

const setPharmacist: Handlers<Contract>['setPharmacist'] = async (ctx, { id, ...after }) => {
  const person = await subject(ctx, id)
  const before = found(await licenceOf(ctx, id))
  if (after.validUntil && after.validUntil < shanghaiDay(ctx.now))
    throw fieldRefusal(pharmacistErrors.licenceOver, 'validUntil')
  if (after.licenceNo)
    await unique(
      sql`insert into pharmacists (user_id, org_id, licence_no, valid_until)
        values (${id}, ${person.orgId}, ${after.licenceNo}, ${after.validUntil}::date)
        on conflict (user_id) do update set org_id = excluded.org_id,
          licence_no = excluded.licence_no, valid_until = excluded.valid_until`.execute(ctx.db),
    )
  else {
    await sql`delete from pharmacists where user_id = ${id}`.execute(ctx.db)
    await sql`update pharmacist_duties set ended_at = ${ctx.now}
      where user_id = ${id} and ended_at is null`.execute(ctx.db)
  }
  ctx.audit({ ...named(person), before, after })
  ctx.touch('duties', person.orgId)
  return { ok: true }
}

export const pharmacists = { pharmacist, setPharmacist }
