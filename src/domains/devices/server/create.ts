import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { sequentialNumbers } from '../../../shared/ids.ts'
import { deviceErrors, type devices } from '../contract.ts'
import { checkedOwner, checkedPlace, fieldRefusal, licenceOf, unique } from './checks.ts'
import * as c from './createQueries.ts'
import { newSecret } from './secret.ts'

type Contract = typeof devices

export async function addAll(ctx: Ctx, orgId: number, entries: readonly Omit<c.NewDevice, 'secret' | 'orgId'>[]) {
  const boards = entries.flatMap((entry) => entry.boardNo ?? [])
  if (boards.length && (await c.isForeignBoard(ctx, boards))) throw fieldRefusal(deviceErrors.boardTaken, 'boardNo')
  const secrets = new Map(entries.map((entry) => [entry.rtuNumber, newSecret()]))
  const added = await unique(
    c.addDevices(
      ctx,
      entries.map((entry) => ({ ...entry, orgId, secret: secrets.get(entry.rtuNumber) as string })),
    ),
  )
  if (ctx.actor.scope.devices !== null && ctx.actor.userId !== null)
    await c.assignTo(
      ctx,
      ctx.actor.userId,
      orgId,
      added.map((d) => d.id),
    )
  ctx.touch('identity')
  ctx.touch('devices')
  return added
    .map((d) => ({ id: d.id, rtuNumber: d.rtu_number, secret: secrets.get(d.rtu_number) as string }))
    .sort((a, b) => (a.rtuNumber < b.rtuNumber ? -1 : 1))
}

export const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { type: _, ...place } = await checkedPlace(ctx, input, orgId)
  const [added] = await addAll(ctx, orgId, [{ ...input, ...place, ...licenceOf(input) }])
  const device = found(added)
  ctx.audit({ id: device.id, name: input.rtuNumber, after: { ...input, ...place, orgId }, orgId })
  return device
}

/** The numbers from `start` on and those that exist; with `skip` the sequence goes on until the count is met. */
async function chooseNumbers(ctx: Ctx, start: string, count: number, skip: boolean): Promise<{ numbers: string[]; conflicts: string[] }> {
  const free: string[] = []
  const conflicts: string[] = []
  let next: string | undefined = start
  while (free.length < count) {
    const window: string[] | null = next === undefined ? null : sequentialNumbers(next, count - free.length)
    if (!window || conflicts.length > 10_000) throw fieldRefusal(deviceErrors.widthOverflow, 'start')
    const taken = await c.takenNumbers(ctx, window)
    free.push(...window.filter((number) => !taken.has(number)))
    conflicts.push(...window.filter((number) => taken.has(number)))
    if (!skip) break
    next = sequentialNumbers(window.at(-1) as string, 2)?.[1]
  }
  return { numbers: skip ? free : [...free, ...conflicts].sort(), conflicts }
}

export const previewBatch: Handlers<Contract>['previewBatch'] = async (ctx, input) => {
  const { numbers, conflicts } = await chooseNumbers(ctx, input.start, input.count, input.skipExisting)
  return { first: numbers[0] as string, last: numbers.at(-1) as string, numbers, conflicts: conflicts.slice(0, 200) }
}

export const createBatch: Handlers<Contract>['createBatch'] = async (ctx, input) => {
  const orgId = await checkedOwner(ctx, input.orgId ?? ctx.actor.orgId)
  const { type: _, ...place } = await checkedPlace(ctx, input, orgId)
  await c.lockPrefix(ctx, input.start)
  const { numbers, conflicts } = await chooseNumbers(ctx, input.start, input.count, input.skipExisting)
  if (conflicts.length > 0 && !input.skipExisting)
    throw new Refusal(deviceErrors.numbersTaken, { numbers: conflicts.slice(0, 10).join(' ') }, [{ field: 'start', text: deviceErrors.numbersTaken.text }])
  const width = String(numbers.length).length
  const created = await addAll(
    ctx,
    orgId,
    numbers.map((rtuNumber, i) => ({
      ...input,
      ...place,
      ...licenceOf(input),
      rtuNumber,
      nickname: `${input.namePrefix}${String(i + 1).padStart(Math.max(2, width), '0')}`,
      boardNo: null,
      card: null,
    })),
  )
  ctx.audit(...created.map(({ id, rtuNumber }) => ({ id, name: rtuNumber, after: { ...input, rtuNumber }, orgId })))
  return { created }
}
