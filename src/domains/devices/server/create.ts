import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { exists, rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { sequentialNumbers } from '../../../shared/ids.ts'
import { newSecret, secretColumns } from '../../machines/server/secret.ts'
import { deviceErrors, type devices } from '../contract.ts'
import type { CreateDevice } from '../formContract.ts'
import { checkedOwner, checkedPlace, unique, written } from './checks.ts'

type Contract = typeof devices
type Place = Awaited<ReturnType<typeof checkedPlace>>['place']

/**
 * Whether one of the boards is somebody's whom the actor does not see; needs the system scope.
 * Those above hand theirs down by binding or a code.
 */
const isForeignBoard = (ctx: Ctx, numbers: readonly string[]) =>
  exists(ctx.db)`select 1 from main_boards b
    where b.board_no = any(${[...numbers]}::text[]) and not ${visible(ctx, 'b.org_id')} limit 1`

export async function addAll(
  ctx: Ctx,
  orgId: number,
  place: Place,
  entries: readonly CreateDevice[],
) {
  const boards = entries.flatMap((entry) => entry.boardNo ?? [])
  if (boards.length && (await isForeignBoard(ctx, boards)))
    throw fieldRefusal(deviceErrors.boardTaken, 'boardNo')
  const secrets = new Map(entries.map((entry) => [entry.rtuNumber, newSecret()]))
  const secretOf = (rtuNumber: string) => secrets.get(rtuNumber) as string
  const added = await unique(
    ctx.db
      .insertInto('devices')
      .values(
        entries.map((entry) => ({
          ...written(entry, place),
          ...secretColumns(secretOf(entry.rtuNumber)),
          org_id: orgId,
          rtu_number: entry.rtuNumber,
          board_no: entry.boardNo,
          lifecycle: 'STOCK' as const,
          created_at: ctx.now,
        })),
      )
      .returning(['id', 'rtu_number as rtuNumber'])
      .execute(),
  )
  const states = added.map(({ id }) => ({ device_id: id, org_id: orgId }))
  await ctx.db.insertInto('device_states').values(states).execute()
  // someone limited to single machines sees what he set up
  const { userId, scope } = ctx.actor
  if (scope.devices !== null && userId !== null)
    await ctx.db
      .insertInto('device_assignments')
      .values(
        states.map((machine) => ({
          ...machine,
          user_id: userId,
          kind: 'REPAIRER' as const,
          assigned_by: userId,
          from_at: ctx.now,
        })),
      )
      .execute()
  ctx.touch('identity')
  ctx.touch('devices')
  return added
    .map((device) => ({ ...device, secret: secretOf(device.rtuNumber) }))
    .sort((a, b) => (a.rtuNumber < b.rtuNumber ? -1 : 1))
}

export const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { place } = await checkedPlace(ctx, input, orgId)
  const [added] = await addAll(ctx, orgId, place, [input])
  const device = found(added)
  ctx.audit({ id: device.id, name: input.rtuNumber, after: { ...input, ...place, orgId }, orgId })
  return device
}

/**
 * The numbers from `start` on and those that exist anywhere on the platform; with `skipExisting`
 * the sequence goes on until the count is met.
 */
async function chooseNumbers(
  ctx: Ctx,
  { start, count, skipExisting }: Input<Contract['previewBatch']>,
) {
  const free: string[] = []
  const conflicts: string[] = []
  let next: string | undefined = start
  while (free.length < count) {
    const window: string[] | null =
      next === undefined ? null : sequentialNumbers(next, count - free.length)
    if (!window || conflicts.length > 10_000)
      throw fieldRefusal(deviceErrors.widthOverflow, 'start')
    const known = await rowsOf<{ number: string }>(
      ctx.db,
    )`select rtu_number as number from devices where rtu_number = any(${window})`
    const taken = new Set(known.map(({ number }) => number))
    free.push(...window.filter((number) => !taken.has(number)))
    conflicts.push(...window.filter((number) => taken.has(number)))
    if (!skipExisting) break
    next = sequentialNumbers(window.at(-1) as string, 2)?.[1]
  }
  return { numbers: skipExisting ? free : [...free, ...conflicts].sort(), conflicts }
}

export const previewBatch: Handlers<Contract>['previewBatch'] = async (ctx, input) => {
  const { numbers, conflicts } = await chooseNumbers(ctx, input)
  return {
    first: numbers[0] as string,
    last: numbers.at(-1) as string,
    numbers,
    conflicts: conflicts.slice(0, 200),
  }
}

export const createBatch: Handlers<Contract>['createBatch'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { place } = await checkedPlace(ctx, input, orgId)
  // batches of one prefix take turns, so that a preview and its insert see the same numbers
  await sql`select pg_advisory_xact_lock(hashtextextended(${`devices ${input.start.replace(/\d+$/, '')}`}, 0))`.execute(
    ctx.db,
  )
  const { numbers, conflicts } = await chooseNumbers(ctx, input)
  if (conflicts.length > 0 && !input.skipExisting)
    throw fieldRefusal(deviceErrors.numbersTaken, 'start', {
      numbers: conflicts.slice(0, 10).join(' '),
    })
  const width = Math.max(2, String(numbers.length).length)
  const named = numbers.map((rtuNumber, i) => ({
    rtuNumber,
    nickname: `${input.namePrefix}${String(i + 1).padStart(width, '0')}`,
  }))
  const created = await addAll(
    ctx,
    orgId,
    place,
    named.map((one) => ({ ...input, ...one, boardNo: null, card: null })),
  )
  ctx.audit(
    ...created.map(({ id, rtuNumber }) => {
      return { id, name: rtuNumber, after: { ...input, rtuNumber }, orgId }
    }),
  )
  return { created }
}
