import type { Ctx } from '../../../server/context.ts'
import type { CommandType, Control } from '../protocol.ts'

/** Commands of people to a machine (restart, lock …): what leaves, and what comes back. */
export type ControlOut = {
  readonly deviceId: number
  readonly cmdId: string
  readonly type: CommandType
  readonly issuedAt: Date
  readonly expireAt: Date
}
export type ControlFact = {
  readonly deviceId: number
  readonly cmdId: string
  readonly word:
    | { readonly kind: 'ack'; readonly ack: string }
    | { readonly kind: 'result'; readonly ok: boolean; readonly reason: string }
}
/**
 * Answers which of the commands are of the machine that speaks, as `deviceId/cmdId`; nothing when
 * nobody is to judge.
 */
export type RecordControls = (
  ctx: Ctx,
  facts: readonly ControlFact[],
) => Promise<{ own: ReadonlySet<string> } | undefined>

export function controlMessage({
  cmdId,
  type,
  issuedAt,
  expireAt,
}: ControlOut): readonly ['command', Control] {
  return ['command', { cmdId, type, issuedAt: issuedAt.getTime(), expireAt: expireAt.getTime() }]
}
