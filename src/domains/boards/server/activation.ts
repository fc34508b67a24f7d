import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, refused } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { platformOrg } from '../../../shared/access.ts'
import { addressOf } from '../../../shared/address.ts'
import { reject } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { type ActivationCode, boardErrors, type boards } from '../contract.ts'
import { bindRule, type Code, codeRule, useRule } from '../rules.ts'
import { keepLastSeen, lockMachine, type Machine, putBoard } from './binding.ts'
import { codeHash, expiry, newCodes } from './codes.ts'
import * as q from './queries.ts'
import { sightingsOf } from './sightings.ts'

type Contract = typeof boards

/** Machines in the order of their ids, so that crossing calls wait for one another. */
async function codesFor(
  ctx: Ctx,
  deviceIds: readonly number[],
): Promise<{ machines: Machine[]; list: ActivationCode[] }> {
  const machines: Machine[] = []
  for (const id of [...new Set(deviceIds)].sort((a, b) => a - b)) {
    const machine = found(await lockMachine(ctx, id))
    reject(codeRule(machine))
    machines.push(machine)
  }
  const codes = await newCodes(ctx, machines)
  const expiresAt = iso(expiry(ctx.now))
  const list = machines.map((machine) => ({
    id: machine.id,
    rtuNumber: machine.rtuNumber,
    activationCode: codes.get(machine.id) as string,
    expiresAt,
  }))
  return { machines, list }
}

export const activationCode: Handlers<Contract>['activationCode'] = async (ctx, input) => {
  const { machines, list } = await codesFor(ctx, [input.id])
  const made = found(list[0])
  ctx.audit({
    id: made.id,
    name: made.rtuNumber,
    after: { expiresAt: made.expiresAt },
    orgId: machines[0]?.orgId as number,
  })
  return made
}

export const activationCodes: Handlers<Contract>['activationCodes'] = async (ctx, input) => {
  const { machines, list } = await codesFor(ctx, input.deviceIds)
  const after = { expiresAt: list[0]?.expiresAt }
  ctx.audit(...machines.map(({ id, rtuNumber: name, orgId }) => ({ id, name, after, orgId })))
  return { list }
}

const guesses = perApp(() => new Map<string, { since: number; times: number }>())
/**
 * Typing errors come one by one; from the tenth of an address within a minute on, people see it.
 */
async function noteGuess(ctx: Ctx): Promise<void> {
  const { app } = ctx
  const ip = addressOf(ctx.ip)
  const now = performance.now()
  const known = guesses(app)
  const counted = known.get(ip)
  const times = counted && now - counted.since < 60_000 ? counted.times + 1 : 1
  if (known.size > 10_000) known.clear()
  known.set(ip, { since: counted && times > 1 ? counted.since : now, times })
  if (times >= 10)
    await raiseSecurity(ctx, {
      orgId: platformOrg,
      kind: 'ACTIVATION_GUESSED',
      subject: ip,
      detail: { tries: times },
    })
}

/**
 * Nobody is signed in: the code is the proof, and one answer stands for everything that may be
 * wrong with it.
 */
export const activate: Handlers<Contract>['activate'] = async (ctx, input) => {
  const { code: text, ...told } = input
  const seen = await codeRow(ctx, text)
  const machine = seen && (await lockMachine(ctx, seen.deviceId))
  const code = machine && (await codeRow(ctx, text))
  const wrong = useRule(code, ctx.now)
  if (wrong || !code || !machine || codeRule(machine)) {
    // a board that is really there and has no code that works: the platform is shown it, if its
    // number is unknown
    sightingsOf(ctx.app).note({ ...told, via: 'ACTIVATION', address: ctx.ip })
    await noteGuess(ctx)
    return refused(boardErrors.codeInvalid)
  }
  const board = await ownBoard(ctx, machine, told)
  await ctx.db
    .updateTable('activation_codes')
    .set({ used_at: ctx.now, used_board_no: input.boardNo })
    .where('id', '=', code.id)
    .execute()
  if (machine.boardNo !== null && machine.boardNo !== input.boardNo) {
    await keepLastSeen(ctx, machine)
    const old = await q.rowByNumber(ctx, machine.boardNo)
    if (old?.iccid && !board.iccid) await q.moveSim(ctx, old.id, board.id)
    await sql`update main_boards set disabled_at = ${ctx.now}
      where board_no = ${machine.boardNo}`.execute(ctx.db)
  }
  const secret = await putBoard(ctx, machine, input.boardNo)
  await noteDevice(ctx, [
    {
      deviceId: machine.id,
      orgId: machine.orgId,
      kind: 'BOARD_ACTIVATED',
      data: { boardNo: input.boardNo },
    },
  ])
  const { id, rtuNumber: name, orgId } = machine
  ctx.audit({
    id,
    name,
    before: { boardNo: machine.boardNo },
    after: { boardNo: input.boardNo },
    orgId,
  })
  return { rtuNumber: machine.rtuNumber, secret }
}

const codeRow = (ctx: Ctx, code: string) =>
  rowOf<Code & { id: number; deviceId: number }>(
    ctx.db,
  )`select id, device_id as "deviceId", used_at as "usedAt", revoked_at as "revokedAt",
    expires_at as "expiresAt" from activation_codes where code_hash = ${codeHash(code)}`

type Told = { boardNo: string; iccid: string; model: string; hwVersion: string; fwVersion: string }
/** The board that speaks: registered now, or known and free. What it says of itself is news. */
async function ownBoard(ctx: Ctx, machine: Machine, told: Told): Promise<q.Row> {
  const known = await q.rowByNumber(ctx, told.boardNo)
  const owner = await newOwner(ctx, machine.orgId)
  // the code is its proof: a SIM card that somebody wrote down elsewhere keeps no board from coming
  // up
  const held =
    told.iccid &&
    (await exists(
      ctx.db,
    )`select 1 from main_boards where iccid = ${told.iccid} and board_no <> ${told.boardNo}`)
  const iccid = held ? '' : told.iccid
  if (!known) {
    const rest = {
      protocol: 'mqtt' as const,
      carrier: null,
      plan: '',
      planMb: null,
      usedMb: null,
      simExpiresOn: null,
    }
    return found(await q.row(ctx, await q.addBoard(ctx, { ...rest, ...told, iccid }, owner)))
  }
  reject(bindRule(known, machine, await q.isHandedDown(ctx, known.orgId, machine.orgId)))
  await ctx.db
    .updateTable('main_boards')
    .set({
      ...(told.model ? { model: told.model } : {}),
      ...(told.hwVersion ? { hw_version: told.hwVersion } : {}),
      ...(told.fwVersion ? { fw_version: told.fwVersion } : {}),
      ...(iccid ? { iccid } : {}),
      version: known.version + 1,
    })
    .where('id', '=', known.id)
    .execute()
  return found(await q.row(ctx, known.id))
}
