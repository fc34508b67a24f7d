import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { placeName } from '../../../shared/regions.ts'
import { lockMachine, type Machine } from '../../boards/server/binding.ts'
import type { AssignmentRow, DeviceAssignments, distribution } from '../contract.ts'
import { openRule } from '../rules.ts'
import { above, assignMany, checkMayMove, removeMany, setStoreOf } from './many.ts'
import * as q from './queries.ts'
import { addStaff, candidates, endStaff, peopleOf } from './staff.ts'
import { handedOver, target, transferMachine } from './transfer.ts'

type Contract = typeof distribution

const shown = ({ county, ...row }: q.Row): AssignmentRow => ({
  ...row,
  regionName: placeName(county),
})

async function detail(ctx: Ctx, id: number): Promise<DeviceAssignments> {
  const { county, lifecycle, ...device } = found(await q.detailRow(ctx, id))
  const open = may(ctx, 'device:assign') && openRule({ lifecycle }) === null
  const transfer = open && may(ctx, 'device:transfer')
  return {
    ...device,
    regionName: placeName(county),
    staff: await q.staffOf(ctx, id),
    owners: await q.ownersOf(ctx, id),
    can: { transfer, giveBack: transfer && device.parentOrgId !== null, staff: open, store: open },
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
  ctx.audit(...handedOver(machine, from, { id: after.orgId, name: after.orgName }))
  return after
}

const transfer: Handlers<Contract>['transfer'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  checkMayMove(ctx)
  const to = found(await target(ctx, input.orgId))
  const machine = await open(ctx, input)
  await transferMachine(ctx, machine, to)
  return moved(ctx, machine, before.orgName)
}

const giveBack: Handlers<Contract>['giveBack'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  checkMayMove(ctx)
  const machine = await open(ctx, input)
  await transferMachine(ctx, machine, await above(ctx, machine))
  return moved(ctx, machine, before.orgName)
}

const assign: Handlers<Contract>['assign'] = async (ctx, input) => {
  const machine = found(await lockMachine(ctx, input.id))
  reject(openRule(machine))
  const people = await peopleOf(ctx, input.userIds)
  const added = new Set(await addStaff(ctx, machine, input.kind, people))
  const names = people.filter((person) => added.has(person.id)).map((person) => person.username)
  ctx.audit({
    id: machine.id,
    name: machine.rtuNumber,
    after: { kind: input.kind, added: names },
    orgId: machine.orgId,
  })
  ctx.touch('devices')
  ctx.touch('users')
  return detail(ctx, machine.id)
}

const unassign: Handlers<Contract>['unassign'] = async (ctx, input) => {
  const machine = found(await lockMachine(ctx, input.id))
  const [ended] = await endStaff(ctx, machine, { assignmentId: input.assignmentId })
  const { kind, username } = found(ended)
  ctx.audit({
    id: machine.id,
    name: machine.rtuNumber,
    before: { kind, username },
    orgId: machine.orgId,
  })
  ctx.touch('devices')
  ctx.touch('users')
  return detail(ctx, machine.id)
}

const setStore: Handlers<Contract>['setStore'] = async (ctx, input) => {
  const before = found(await q.detailRow(ctx, input.id))
  const machine = await open(ctx, input)
  await setStoreOf(ctx, machine, input.storeId)
  const after = await detail(ctx, machine.id)
  const { id, rtuNumber: name, orgId } = machine
  ctx.audit({
    id,
    name,
    before: { store: before.storeName || null },
    after: { store: after.storeName },
    orgId,
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
    return { list, ...(await q.total(ctx, input.groupBy)) }
  },
  people: async (ctx, input) => ({
    list: (await candidates(ctx, input.kind, input.orgId)).map((p) => ({
      id: p.id,
      name: p.name,
      username: p.username,
      orgName: p.org_name,
    })),
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
