import type { Ctx } from '../../../server/context.ts'
import { exists, rowsOf } from '../../../server/rows.ts'

export type Open = { from: Date; to: Date }
type Word = { at: Date; open: boolean }

/** More words of a door than somebody who fills a machine can cause are not looked at. */
const mostWords = 500

/** When the door of this machine stood open within these moments: nothing is sold meanwhile. */
export async function doorsOf(ctx: Ctx, deviceId: number, from: Date, to: Date): Promise<Open[]> {
  const words = await rowsOf<Word>(ctx.db)`
    select m.created_at as at, (m.payload->>'open')::boolean as open from device_messages m
    where m.device_id = ${deviceId} and m.created_at between ${from} and ${to} and m.kind = 'door'
    order by m.created_at, m.boot, m.seq limit ${mostWords}`
  return intervals(words, from, to)
}

/** One that was shut first was open before; one that was not shut is open until the end. */
export function intervals(words: readonly Word[], from: Date, to: Date): Open[] {
  const found: Open[] = []
  let since: Date | null = words[0]?.open === false ? from : null
  for (const { at, open } of words)
    if (open) since ??= at
    else if (since) {
      found.push({ from: since, to: at })
      since = null
    }
  if (since) found.push({ from: since, to })
  return found
}

/** How long it stood open; null: it said nothing. */
export const doorSeconds = (doors: readonly Open[]): number | null =>
  doors.length
    ? Math.round(doors.reduce((sum, { from, to }) => sum + to.getTime() - from.getTime(), 0) / 1000)
    : null

/** A count while the door was open is of the moment when it was opened. */
export const referenceOf = (at: Date, doors: readonly Open[]): Date =>
  doors.find((door) => door.from <= at && at <= door.to)?.from ?? at

/** Its words do not follow those that a phone knew. */
export const boardReplaced = (ctx: Ctx, deviceId: number, from: Date): Promise<boolean> =>
  exists(ctx.db)`select 1 from device_events e where e.device_id = ${deviceId}
    and e.created_at > ${from} and e.kind in ('BOARD_BOUND','BOARD_ACTIVATED','BOARD_REPLACED') limit 1`
