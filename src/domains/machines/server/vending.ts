import type { Ctx } from '../../../server/context.ts'
import type { AckCode, ResultCode } from '../rules.ts'

// What the gateway and the orders tell each other.

/** What a machine says about a command. */
export type VendFact =
  | { kind: 'ack'; deviceId: number; cmdId: string; ack: AckCode; at: Date }
  | {
      kind: 'result'
      deviceId: number
      cmdId: string
      result: ResultCode
      dropDetected: boolean
      durationMs: number
      at: Date
    }

/**
 * Answers as `deviceId/cmdId` which commands are of the machine that speaks, and which ends
 * contradict the one before.
 */
export type RecordVends = (
  ctx: Ctx,
  facts: readonly VendFact[],
) => Promise<{ own: ReadonlySet<string>; contradicted: ReadonlySet<string> } | undefined>

/** A command that leaves now. */
export type VendOut = {
  deviceId: number
  rtuNumber: string
  cmdId: string
  orderNum: string
  unitNo: number
  road: number
  motorNo: number
  issuedAt: Date
  expireAt: Date
  kind: 'vend' | 'query' | 'void'
}
