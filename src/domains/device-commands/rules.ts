import { defineStates } from '../../shared/moves.ts'
import type { commandStates, commandTypes } from './contract.ts'

export type CommandType = (typeof commandTypes)[number]
export type CommandState = (typeof commandStates)[number]

/**
 * What the clock ends (EXPIRED) the machine may still report about; what the machine ended stays
 * ended.
 */
export const commandMoves = defineStates<CommandState>({
  name: 'deviceCommands',
  column: 'device_commands.state',
  start: ['WAITING'],
  moves: {
    WAITING: ['SENT', 'ACKED', 'DONE', 'FAILED', 'EXPIRED'],
    SENT: ['ACKED', 'DONE', 'FAILED', 'EXPIRED'],
    ACKED: ['DONE', 'FAILED', 'EXPIRED'],
    EXPIRED: ['DONE', 'FAILED'],
    DONE: [],
    FAILED: [],
  },
})

/**
 * Seconds: to be accepted, and then to be done (core.md: a restart takes about two minutes, a
 * refresh answers within ten seconds).
 */
export const commandSeconds: Readonly<Record<CommandType, { accept: number; finish: number }>> = {
  REBOOT: { accept: 60, finish: 300 },
  LOCK: { accept: 30, finish: 60 },
  UNLOCK: { accept: 30, finish: 60 },
  QUERY: { accept: 10, finish: 10 },
  DOOR: { accept: 30, finish: 60 },
}
/** Without an answer the same command is sent again, with the same id. */
export const resend = { afterSeconds: 10, most: 3 } as const

export type CommandWord =
  | { readonly kind: 'ack'; readonly ack: string }
  | { readonly kind: 'result'; readonly ok: boolean; readonly reason: string }

/**
 * What a machine's word makes of its command; null when it changes nothing (a repeat, or out of
 * order).
 */
export function heard(
  state: CommandState,
  word: CommandWord,
): { state: CommandState; reason: string } | null {
  const next =
    word.kind === 'result'
      ? {
          state: word.ok ? ('DONE' as const) : ('FAILED' as const),
          reason: word.ok ? '' : word.reason || 'FAILED',
        }
      : word.ack === 'ACCEPTED' || word.ack === 'DUPLICATE'
        ? { state: 'ACKED' as const, reason: '' }
        : { state: 'FAILED' as const, reason: word.ack }
  return commandMoves.moves[state].includes(next.state) ? next : null
}

export type Testable = {
  readonly productId: number | null
  readonly status: string
  readonly available: number
}
/**
 * Why a lane cannot be tested; null when it can. A repairer tests lanes with a fault, to see that
 * they work again.
 */
export function testRefusal(
  lane: Testable,
  repair: boolean,
): 'laneGone' | 'laneFault' | 'laneLocked' | 'laneEmpty' | null {
  if (lane.productId === null) return 'laneGone'
  if (lane.status === 'LOCKED') return 'laneLocked'
  if (lane.status === 'FAULT' && !repair) return 'laneFault'
  return lane.available < 1 ? 'laneEmpty' : null
}
