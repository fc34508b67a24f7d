import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { placeName } from '../../../shared/regions.ts'
import { lockMachine, type Machine } from '../../boards/server/binding.ts'
import type { AssignmentRow, DeviceAssignments, distribution } from '../contract.ts'
import { openRule } from '../rules.ts'
import { assignMany, checkMayMove, removeMany, returnMachine, setStoreOf } from './many.ts'
import * as q from './queries.ts'
import { addStaff, candidates, endStaff, peopleOf } from './staff.ts'
import { target, transferMachine } from './transfer.ts'

type Contract = typeof distribution

const shown = (d: q.Row): AssignmentRow => ({
  id: d.id,
  rtuNumber: d.rtu_number,
  nickname: d.nickname,
  typeName: d.type_name,
  regionName: placeName(d.county),
  address: d.address,
  status: d.online ? 'online' : 'offline',
  orgId: d.org_id,
  ownedUserName: d.org_name,
  replenishers: d.replenishers,
  repairers: d.repairers,
  storeId: d.store_id,
  storeName: d.store_name ?? '',
  assignedAt: isoOrNull(d.assigned_at),
  assignedBy: d.assigned_by ?? '',
  version: d.version,
})

async function detail(ctx: Ctx, id: number): Promise<DeviceAssignments> {
  const d = found(await q.detailRow(ctx, id))
  const open = may(ctx, 'device:assign') && openRule(d) === null
  const transfer = open && may(ctx, 'device:transfer')
  const [staff, owners] = [await q.staffOf(ctx, id), await q.ownersOf(ctx, id)]
  return {
    id: d.id,
    rtuNumber: d.rtu_number,
    nickname: d.nickname,
    typeName: d.type_name,
    regionName: placeName(d.county),
    address: d.address,
    version: d.version,
    orgId: d.org_id,
    orgName: d.org_name,
    parentOrgId: d.parent_id,
    parentOrgName: d.parent_name ?? '',
    storeId: d.store_id,
    storeName: d.store_name ?? '',
    staff: staff.map((s) => ({
      id: s.id,
      kind: s.kind,
      userId: s.user_id,
      name: s.name,
      username: s.username,
      orgName: s.org_name,
      since: iso(s.from_at),
      by: s.by ?? '',
    })),
    owners: owners.map((o) => ({ id: o.id, orgName: o.org_name, from: iso(o.from), to: isoOrNull(o.to), by: o.by ?? '', registered: o.registered })),
    can: { transfer, giveBack: transfer && d.parent_id !== null, staff: open, store: open },
  }
}

/** The machine, held, at the version a person saw. */
async function open(ctx: Ctx, input: { id: number; version: number }): Promise<Machine> {
  const machine = found(await lockMachine(ctx, input.id))
  if (machine.version !== input.version) throw new Refusal(common.stale)
  return machine
}

async function moved(ctx: Ctx, machine: Machine, from: string): Promise<DeviceAssignments> {
  const after = await detail(ctx, machine.id)
  ctx.audit({
    id: machine.id,
    name: machine.rtu_number,
    before: { orgId: machine.org_id, org: from },
    after: { orgId: after.orgId, org: after.orgName },
    orgId: machine.org_id,
  })
  return after
}

const transfer: Handlers<Contract>['transfer'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  checkMayMove(ctx)
  const to = found(await target(ctx, input.orgId))
  const machine = await open(ctx, input)
  await transferMachine(ctx, machine, to)
  return moved(ctx, machine, before.org_name)
}

const giveBack: Handlers<Contract>['giveBack'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  checkMayMove(ctx)
  const machine = await open(ctx, input)
  await returnMachine(ctx, machine)
  return moved(ctx, machine, before.org_name)
}

const assign: Handlers<Contract>['assign'] = async (ctx, input) => {
  const machine = found(await lockMachine(ctx, input.id))
  const closed = openRule(machine)
  if (closed) throw new Refusal(closed)
  const people = await peopleOf(ctx, input.userIds)
  const added = new Set(await addStaff(ctx, machine, input.kind, people))
  const names = people.filter((person) => added.has(person.id)).map((person) => person.username)
  ctx.audit({ id: machine.id, name: machine.rtu_number, after: { kind: input.kind, added: names }, orgId: machine.org_id })
  ctx.touch('devices')
  ctx.touch('users')
  return detail(ctx, machine.id)
}

const unassign: Handlers<Contract>['unassign'] = async (ctx, input) => {
  const machine = found(await lockMachine(ctx, input.id))
  const [ended] = await endStaff(ctx, machine, { assignmentId: input.assignmentId })
  const { kind, username } = found(ended)
  ctx.audit({ id: machine.id, name: machine.rtu_number, before: { kind, username }, orgId: machine.org_id })
  ctx.touch('devices')
  ctx.touch('users')
  return detail(ctx, machine.id)
}

const setStore: Handlers<Contract>['setStore'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  const machine = await open(ctx, input)
  await setStoreOf(ctx, machine, input.storeId)
  const after = await detail(ctx, machine.id)
  ctx.audit({
    id: machine.id,
    name: machine.rtu_number,
    before: { store: before.store_name },
    after: { store: after.storeName },
    orgId: machine.org_id,
  })
  return after
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map(shown), total }
  },
  async groups(ctx, input) {
    const list =
      input.groupBy === 'replenisher' || input.groupBy === 'repairer'
        ? await q.staffGroups(ctx, input.groupBy === 'replenisher' ? 'REPLENISHER' : 'REPAIRER')
        : await q.orgGroups(ctx)
    return { list, total: await q.total(ctx, input.groupBy) }
  },
  people: async (ctx, input) => ({
    list: (await candidates(ctx, input.kind, input.orgId)).map((p) => ({ id: p.id, name: p.name, username: p.username, orgName: p.org_name })),
  }),
  get: (ctx, input) => detail(ctx, input.id),
  transfer,
  giveBack,
  assign,
  unassign,
  setStore,
  assignMany,
  removeMany,
}
