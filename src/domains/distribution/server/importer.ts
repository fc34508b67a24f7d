import { z } from 'zod'
import { type Ctx, found } from '../../../server/context.ts'
import {
  cellRefusal,
  defineImporter,
  eachRow,
  type ImportRow,
  type RowError,
} from '../../../server/importers.ts'
import { Refusal, reject } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { lockMachine, type Machine } from '../../boards/server/binding.ts'
import { servesAs } from '../../users/rules.ts'
import { distributionErrors } from '../contract.ts'
import { locale } from '../locale.ts'
import { openRule } from '../rules.ts'
import { checkMayMove } from './many.ts'
import * as q from './queries.ts'
import { addStaff, peopleOf } from './staff.ts'
import { giveMachine, handedOver, moveWords, target } from './transfer.ts'

const Row = z.strictObject({
  rtuNumber: f.text(20, bi('请输入机器编号', 'Enter the machine number')),
  username: f.text(40, bi('请选择用户', 'Choose a user')),
  kind: f.optionalText(20),
})
type Row = z.output<typeof Row>
type Kind = 'OWNER' | 'REPLENISHER' | 'REPAIRER'
const kindWords = new Map(
  (['OWNER', 'REPLENISHER', 'REPAIRER'] as const).flatMap((kind) =>
    [kind, locale.zh.enums.kind[kind], locale.en.enums.kind[kind]].map(
      (word) => [word.toLowerCase(), kind] as const,
    ),
  ),
)

/** `given`: machines that have a new owner by this file. */
async function assignRow(ctx: Ctx, row: Row, given: Set<number>): Promise<void> {
  const device = await q.deviceNamed(ctx, row.rtuNumber.toUpperCase())
  if (!device)
    throw cellRefusal(
      'rtuNumber',
      bi('设备不存在或无权查看', 'No such device, or not yours to see'),
    )
  const user = await q.userNamed(ctx, row.username)
  if (!user)
    throw cellRefusal('username', bi('用户不存在或无权查看', 'No such user, or not yours to see'))
  const [person] = await peopleOf(ctx, [user.id]).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    throw cellRefusal('username', bi('用户已停用', 'This user is disabled'))
  })
  const known = row.kind ? kindWords.get(row.kind.toLowerCase()) : null
  if (known === undefined)
    throw cellRefusal('kind', bi('分配类型不正确', 'There is no such assignment'))
  const kind: Kind = known ?? servesAs(found(person).roles)[0] ?? 'OWNER'
  const machine = found(await lockMachine(ctx, device.id))
  if (kind === 'OWNER') return give(ctx, machine, user.orgId, given)
  reject(openRule(machine))
  await addStaff(ctx, machine, kind, [found(person)])
  const { id, rtuNumber: name, orgId } = machine
  ctx.audit({
    action: 'distribution.assign',
    id,
    name,
    after: { kind, added: [person?.username] },
    orgId,
  })
}

/** A file may name an owner that has the machine already, and each machine has one. */
async function give(ctx: Ctx, machine: Machine, orgId: number, given: Set<number>): Promise<void> {
  checkMayMove(ctx)
  if (machine.orgId === orgId) return
  if (given.has(machine.id))
    throw cellRefusal(
      'rtuNumber',
      bi(
        '文件中已为该机器指定另一所属用户',
        'The file names another owner of this machine already',
      ),
    )
  try {
    const to = found(await target(ctx, orgId))
    const before = await q.detailRow(ctx, machine.id)
    await giveMachine(ctx, machine, to)
    given.add(machine.id)
    ctx.audit(
      ...handedOver(machine, before?.orgName ?? '', to).map((line) => ({
        ...line,
        action: 'distribution.transfer',
      })),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const person =
      error.def === distributionErrors.ownerKind || error.def === distributionErrors.orgClosed
    throw person ? cellRefusal('username', error.def.text) : new Refusal(error.def, error.values)
  }
}

async function run(ctx: Ctx, rows: readonly ImportRow<Row>[]): Promise<readonly RowError[]> {
  const given = new Set<number>()
  const errors = await eachRow(ctx, rows, (quiet, row) => assignRow(quiet, row, given))
  if (!errors.length)
    await moveWords(
      ctx,
      [...given].sort((a, b) => a - b),
    )
  return errors.map((error) =>
    error.column === 'userIds' ? { ...error, column: 'username' } : error,
  )
}

export const assignmentImporter = defineImporter<typeof Row>({
  kind: 'device-assignments',
  title: bi('设备分配', 'Device distribution'),
  permission: 'device:assign',
  columns: [
    {
      key: 'rtuNumber',
      title: bi('机器编号', 'Machine number'),
      required: true,
      example: 'HD000098',
    },
    {
      key: 'username',
      title: bi('用户', 'User'),
      required: true,
      example: 'operator',
      note: bi(
        '用户名；机构账号为转移所属用户',
        'User name; an account of an organisation makes that the owner',
      ),
    },
    {
      key: 'kind',
      title: bi('分配类型', 'As'),
      example: bi('补货员', 'Replenisher'),
      note: bi(
        '所属用户、补货员、维修员，空则按用户角色',
        'Owner, replenisher, repairman; empty goes by the role of the user',
      ),
    },
  ],
  row: Row,
  touches: 'devices',
  run,
})
