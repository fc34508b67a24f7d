import { perApp } from '../../../server/perApp.ts'

/** What happened to a box, as the platform is told. Its number is the same at every try. */
export type TraceReport = {
  readonly no: string
  readonly code: string
  readonly event: 'SALE' | 'RETURN'
  readonly at: string
  readonly batchNo: string
  readonly orderNum: string | null
}
/** Null: it is there, also when it was there before. A text says why it is not taken. */
export type TraceAnswer = ReadonlyMap<string, string | null>
/**
 * A traceability platform (码上放心 or a province's own). `send` throws when nothing is known of
 * any of them; they are told again later.
 */
export type TracePlatform = { send(reports: readonly TraceReport[]): Promise<TraceAnswer> }

/** Takes whatever it is told, and knows what it was told before. */
const simulated: TracePlatform = {
  send: async (reports) => new Map(reports.map(({ no }) => [no, null])),
}

/** The platform that is told; a test puts another there. */
export const tracePlatform = perApp((): { use: TracePlatform } => ({ use: simulated }))
