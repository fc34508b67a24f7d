import type { Selection } from '../../../../web/list/types.ts'
import type { DeviceRow } from '../../contract.ts'

export type LeavingAct = 'PAUSED' | 'SOLD' | 'SCRAPPED' | 'restore'
export type RowAct = 'settings' | 'test' | 'REBOOT' | 'LOCK' | 'UNLOCK' | LeavingAct
/** What is open over the list: a deed for one machine or for the chosen ones. */
export type Opened =
  | { readonly act: RowAct; readonly row: DeviceRow }
  | {
      readonly act: 'batchSettings' | 'batchTags' | 'batchReboot' | 'batchPause' | 'batchCopy'
      readonly selection: Selection<DeviceRow>
    }
