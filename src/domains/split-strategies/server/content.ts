import { createHash } from 'node:crypto'
import { partyOf } from '../../ledger/rules.ts'
import type { StrategyVersion } from '../contract.ts'

type Content = Pick<
  StrategyVersion,
  | 'configId'
  | 'mode'
  | 'feeMode'
  | 'timing'
  | 'timingNumber'
  | 'subsidySplit'
  | 'laneIds'
  | 'categoryIds'
  | 'deviceIds'
  | 'parties'
>
/** What a version does, whatever it is called: two with the same hash divide the same. */
export const hashOf = (said: Content): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        ...[said.configId, said.mode, said.feeMode, said.timing, said.timingNumber],
        ...[said.subsidySplit, said.laneIds, said.categoryIds, said.deviceIds],
        said.parties.map((party) => [partyOf(party), party.ratioBp, party.isCollector]),
      ]),
    )
    .digest('hex')
