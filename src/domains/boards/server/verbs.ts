import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type BoardRow, type BoardSecret, boardErrors, type boards } from '../contract.ts'
import { bindRule, fingerprint, simState, statusOf } from '../rules.ts'
import { activate, activationCode, activationCodes } from './activation.ts'
import {
  hasOpenOrder,
  keepLastSeen,
  lockMachine,
  type Machine,
  putBoard,
  shutOut,
  takeBoard,
} from './binding.ts'
import * as q from './queries.ts'
import { claim, ignore, restore, unknown, unknownCount } from './unknown.ts'

type Contract = typeof boards

function shown(ctx: Ctx, { disabled, secretHash, ...board }: q.Row): BoardRow {
  const bound = board.deviceId !== null
  return {
    ...board,
    simState: simState(board.simExpiresOn, shanghaiDay(ctx.now)),
    status: statusOf({ deviceId: board.deviceId, disabled }),
    keyFingerprint: fingerprint(secretHash),
    can: {
      update: may(ctx, 'main-board:update'),
      bind: may(ctx, 'main-board:bind') && !bound && !disabled,
      bound: may(ctx, 'main-board:bind') && bound,
      disable: may(ctx, 'main-board:update') && !disabled,
      enable: may(ctx, 'main-board:update') && disabled,
    },
  }
}
const get = async (ctx: Ctx, id: number): Promise<BoardRow> =>
  shown(ctx, found(await q.row(ctx, id)))
/** A log row says which key, never what it is. */
const logged = ({ can: _, ...board }: BoardRow) => board

type One = { id: number; version: number }
/** The board at the version a person saw, and its machine, which is held first. */
async function open(ctx: Ctx, input: One): Promise<{ board: q.Row; machine: Machine | undefined }> {
  const seen = found(await q.row(ctx, input.id))
  const machine = seen.deviceId === null ? undefined : await lockMachine(ctx, seen.deviceId)
  await updateVersion(ctx, 'main_boards', input, {})
  const board = found(await q.row(ctx, input.id))
  if (board.deviceId !== (machine?.id ?? null)) throw new Refusal(common.stale)
  return { board, machine }
}
async function openBound(ctx: Ctx, input: One): Promise<{ board: q.Row; machine: Machine }> {
  const { board, machine } = await open(ctx, input)
  if (!machine) throw new Refusal(boardErrors.notBound)
  return { board, machine }
}

async function checkBinding(ctx: Ctx, board: q.Row, machine: Machine): Promise<void> {
  reject(bindRule(board, machine, await q.isHandedDown(ctx, board.orgId, machine.orgId)))
}

type Said = { machine: Machine; board: q.Row; kind: string; after: Record<string, unknown> }
/** Log row and timeline of an act on a machine's board. */
async function said(ctx: Ctx, { machine, board, kind, after }: Said): Promise<void> {
  await noteDevice(ctx, [
    {
      deviceId: machine.id,
      orgId: machine.orgId,
      kind,
      data: { boardNo: board.boardNo, ...after },
    },
  ])
  const before = { boardNo: machine.boardNo, rtuNumber: board.rtuNumber }
  ctx.audit({
    id: board.id,
    name: board.boardNo,
    before,
    after: { rtuNumber: machine.rtuNumber, ...after },
    orgId: machine.orgId,
  })
}

const create: Handlers<Contract>['create'] = async (ctx, { orgId, ...board }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const after = await get(ctx, await q.addBoard(ctx, board, owner))
  ctx.audit({ id: after.id, name: after.boardNo, after: logged(after), orgId: owner.id })
  ctx.touch('main-boards')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const before = await get(ctx, id)
  const { board, machine } = await open(ctx, { id, version })
  await q.unique(
    ctx.db.updateTable('main_boards').set(q.written(fields)).where('id', '=', id).execute(),
  )
  // the machine names the SIM that is in its board
  if (machine && board.iccid !== fields.iccid)
    await q.unique(
      sql`update devices set card = ${fields.iccid || null}, version = version + 1
        where id = ${machine.id}`.execute(ctx.db),
    )
  const after = await get(ctx, id)
  ctx.audit({
    id,
    name: after.boardNo,
    before: logged(before),
    after: logged(after),
    orgId: board.orgId,
  })
  ctx.touch('main-boards')
  if (machine) ctx.touch('devices')
  return after
}

const bind: Handlers<Contract>['bind'] = async (ctx, input): Promise<BoardSecret> => {
  found(await q.row(ctx, input.id))
  const machine = found(await lockMachine(ctx, input.deviceId))
  await updateVersion(ctx, 'main_boards', input, {})
  const board = found(await q.row(ctx, input.id))
  await checkBinding(ctx, board, machine)
  if (machine.boardNo !== null) throw fieldRefusal(boardErrors.hasBoard, 'deviceId')
  const secret = await putBoard(ctx, machine, board.boardNo)
  await said(ctx, { machine, board, kind: 'BOARD_BOUND', after: {} })
  return { boardNo: board.boardNo, rtuNumber: machine.rtuNumber, secret }
}

const replace: Handlers<Contract>['replace'] = async (ctx, input): Promise<BoardSecret> => {
  const { board, machine } = await openBound(ctx, input)
  const next = found(await q.row(ctx, input.newBoardId))
  await checkBinding(ctx, next, machine)
  if (next.id === board.id) throw fieldRefusal(boardErrors.boardTaken, 'newBoardId')
  const secret = await exchange(ctx, machine, board, next)
  await said(ctx, { machine, board, kind: 'BOARD_REPLACED', after: { newBoardNo: next.boardNo } })
  return { boardNo: next.boardNo, rtuNumber: machine.rtuNumber, secret }
}

/**
 * The old board is out at once; the machine keeps lanes, settings and history, and its SIM when the
 * new board has none.
 */
async function exchange(ctx: Ctx, machine: Machine, old: q.Row, next: q.Row): Promise<string> {
  await keepLastSeen(ctx, machine)
  if (old.iccid && !next.iccid) await q.moveSim(ctx, old.id, next.id)
  await q.disable(ctx, old.id, true)
  return putBoard(ctx, machine, next.boardNo)
}

const unbind: Handlers<Contract>['unbind'] = async (ctx, input) => {
  const { board, machine } = await openBound(ctx, input)
  if (await hasOpenOrder(ctx, machine.id)) throw new Refusal(boardErrors.openOrder)
  await takeBoard(ctx, machine)
  await said(ctx, { machine, board, kind: 'BOARD_UNBOUND', after: { rtuNumber: null } })
  return get(ctx, input.id)
}

async function setDisabled(ctx: Ctx, input: One, on: boolean): Promise<BoardRow> {
  const { board, machine } = await open(ctx, input)
  if (board.disabled !== on) await q.disable(ctx, board.id, on)
  if (machine) {
    shutOut(ctx)
    await noteDevice(ctx, [
      {
        deviceId: machine.id,
        orgId: machine.orgId,
        kind: on ? 'BOARD_DISABLED' : 'BOARD_ENABLED',
        data: { boardNo: board.boardNo },
      },
    ])
  }
  const after = await get(ctx, input.id)
  ctx.audit({
    id: board.id,
    name: board.boardNo,
    before: { status: shown(ctx, board).status },
    after: { status: after.status },
    orgId: board.orgId,
  })
  ctx.touch('main-boards')
  return after
}

const rotateSecret: Handlers<Contract>['rotateSecret'] = async (
  ctx,
  input,
): Promise<BoardSecret> => {
  const { board, machine } = await openBound(ctx, input)
  if (board.disabled) throw new Refusal(boardErrors.boardDisabled)
  const secret = await putBoard(ctx, machine, board.boardNo)
  await said(ctx, { machine, board, kind: 'SECRET_ROTATED', after: {} })
  return { boardNo: board.boardNo, rtuNumber: machine.rtuNumber, secret }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  counts: async (ctx) => ({ ...(await q.counts(ctx)), unknown: await unknownCount(ctx) }),
  options: async (ctx, input) => ({ list: await q.options(ctx, input) }),
  create,
  update,
  bind,
  replace,
  unbind,
  disable: (ctx, input) => setDisabled(ctx, input, true),
  enable: (ctx, input) => setDisabled(ctx, input, false),
  rotateSecret,
  activationCode,
  activationCodes,
  activate,
  unknown,
  claim,
  ignore,
  restore,
}
