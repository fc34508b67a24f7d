import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { byRole, type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { guarding } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import type { DispensingMode } from '../../drug-guard/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { notify } from '../../notices/server/notify.ts'
import { type drugControl, drugControlErrors, type ModeOfMachine } from '../contract.ts'
import { stopFailing, stopsOf } from './guard.ts'

type Contract = typeof drugControl

/** Operators run machines; whose drugs they may sell says whoever stands above them. */
const checkRole = (ctx: Ctx): void => {
  const below = ['ROLE_RTU_SP', 'ROLE_RTU_REPAIRER']
  if (!byRole(ctx, (role) => !below.includes(role))) throw new Refusal(common.forbidden)
}

type Machine = {
  id: number
  orgId: number
  rtuNumber: string
  kind: string
  mode: DispensingMode | null
}
async function machineOf(ctx: Ctx, id: number, locking = sql``): Promise<Machine> {
  const machine = found(
    await rowOf<Machine>(ctx.db)`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber",
        d.kind, d.dispensing_mode as mode from devices d
      where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')} ${locking}`,
  )
  return { ...machine, mode: machine.kind === 'DRUG' ? machine.mode : null }
}

async function shown(ctx: Ctx, machine: Machine): Promise<ModeOfMachine> {
  type Waiting = NonNullable<ModeOfMachine['waiting']> & { by: number }
  const waiting = await rowOf<Omit<Waiting, 'own'>>(ctx.db)`
    select c.id, c.mode_to as to, c.reason, coalesce(u.username, '') as "askedBy", c.asked_by as by,
      c.asked_at as "askedAt"
    from dispensing_mode_changes c left join users u on u.id = c.asked_by
    where c.device_id = ${machine.id} and c.org_id = ${machine.orgId} and c.state = 'WAITING'`
  const { by, ...asked } = waiting ?? { by: null }
  return {
    deviceId: machine.id,
    rtuNumber: machine.rtuNumber,
    mode: machine.mode,
    stops: await stopsOf(ctx, machine.id),
    waiting: waiting
      ? {
          ...(asked as Omit<Waiting, 'own' | 'by'>),
          askedAt: new Date(waiting.askedAt).toISOString(),
          own: by === ctx.actor.userId,
        }
      : null,
  }
}

export const mode: Handlers<Contract>['mode'] = async (ctx, { deviceId }) =>
  shown(ctx, await machineOf(ctx, deviceId))

const oneWaits = guarding({
  dispensing_mode_changes_open: [drugControlErrors.modeWaits, 'deviceId'],
})

export const askMode: Handlers<Contract>['askMode'] = async (ctx, { deviceId, to, reason }) => {
  checkRole(ctx)
  const machine = await machineOf(ctx, deviceId, sql`for no key update of d`)
  const { orgId, rtuNumber } = machine
  if (machine.mode === null) throw new Refusal(drugControlErrors.noDrugMachine)
  if (machine.mode === to) throw new Refusal(common.stale)
  // one that the owner before asked for waits for nobody any more
  await sql`update dispensing_mode_changes set state = 'REFUSED', decided_by = asked_by,
      decided_at = ${ctx.now}
    where device_id = ${deviceId} and org_id <> ${orgId} and state = 'WAITING'`.execute(ctx.db)
  await oneWaits(
    sql`insert into dispensing_mode_changes (org_id, device_id, mode_from, mode_to, reason, asked_by,
      asked_at) values (${orgId}, ${deviceId}, ${machine.mode}, ${to}, ${reason},
      ${ctx.actor.userId}, ${ctx.now})`.execute(ctx.db),
  )
  ctx.audit({
    id: deviceId,
    name: rtuNumber,
    orgId,
    before: { mode: machine.mode },
    after: { to, reason },
  })
  ctx.touch('devices', orgId)
  await notify(ctx, {
    kind: 'SYSTEM',
    permission: 'device:update',
    orgId,
    orAbove: true,
    title: bi(
      `${rtuNumber} 售药方式变更待复核`,
      `${rtuNumber}: a way of dispensing waits for review`,
    ),
    body: bi(reason, reason),
    link: `/device/device-list?detail=${deviceId}`,
  })
  return shown(ctx, machine)
}

export const decideMode: Handlers<Contract>['decideMode'] = async (ctx, { id, agree, stops }) => {
  checkRole(ctx)
  const asked = found(
    await rowOf<{
      deviceId: number
      orgId: number
      from: string
      to: DispensingMode
      by: number
      state: string
      reason: string
    }>(
      ctx.db,
    )`select c.device_id as "deviceId", c.org_id as "orgId", c.mode_from as "from", c.mode_to as to,
        c.asked_by as by, c.state, c.reason from dispensing_mode_changes c
      where c.id = ${id} and ${visible(ctx, 'c.org_id', 'c.device_id')}`,
  )
  const machine = await machineOf(ctx, asked.deviceId, sql`for no key update of d`)
  const { orgId, rtuNumber } = machine
  // whoever asked may take it back, and not agree
  if (agree && asked.by === ctx.actor.userId) throw new Refusal(drugControlErrors.samePerson)
  if (agree && (machine.mode !== asked.from || orgId !== asked.orgId))
    throw new Refusal(common.stale)
  if (agree && (await stopsOf(ctx, machine.id))[asked.to] !== stops) throw new Refusal(common.stale)
  const { numAffectedRows } = await sql`update dispensing_mode_changes
    set state = ${agree ? 'DONE' : 'REFUSED'}, decided_by = ${ctx.actor.userId},
      decided_at = ${ctx.now}, lanes = ${agree ? stops : null}
    where id = ${id} and state = 'WAITING'`.execute(ctx.db)
  if (numAffectedRows !== 1n) throw new Refusal(common.stale)
  if (agree) {
    await sql`update devices set dispensing_mode = ${asked.to}, version = version + 1
      where id = ${machine.id}`.execute(ctx.db)
    await stopFailing(ctx, [machine.id], 'MODE')
    await noteDevice(ctx, [
      {
        ...{ deviceId: machine.id, orgId, kind: 'MODE_CHANGED' },
        data: { from: asked.from, to: asked.to },
      },
    ])
  }
  ctx.audit({
    ...{ id: machine.id, name: rtuNumber, orgId },
    before: { mode: asked.from },
    after: agree ? { mode: asked.to, reason: asked.reason, stops } : { refused: asked.to },
  })
  ctx.touch('devices', orgId)
  await notify(ctx, {
    kind: 'SYSTEM',
    userIds: [asked.by],
    title: agree
      ? bi(`${rtuNumber} 的售药方式已变更`, `${rtuNumber} dispenses in another way now`)
      : bi(`${rtuNumber} 的售药方式变更未通过`, `${rtuNumber}: the change was refused`),
    body: bi('', ''),
    link: `/device/device-list?detail=${machine.id}`,
  })
  return shown(ctx, await machineOf(ctx, machine.id))
}
