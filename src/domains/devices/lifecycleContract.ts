import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { machineIds, machineOutcome } from '../../shared/outcome.ts'
import { bi } from '../../shared/text.ts'
import { deviceErrors } from './errors.ts'

/** Leaving service, coming back from it, and stopping the sales of many. */

export const reasonText = bi('请填写原因', 'Say why')
const reason = f.lines(200, reasonText)
export const ids = machineIds(200)
export const Batch = machineOutcome({})
const one = { id: f.id, version: f.version }

export const lifecycleEndpoints = {
  retire: write('device:delete', {
    path: '/devices/{id}/retire',
    summary:
      'Sold or scrapped: board and SIM are released, history stays; the number is typed to confirm',
    audit: 'devices.retire',
    errors: [
      deviceErrors.wrongMove,
      deviceErrors.openOrder,
      deviceErrors.stockLeft,
      deviceErrors.numberWrong,
    ],
    input: z.strictObject({
      ...one,
      to: z.enum(['SOLD', 'SCRAPPED']),
      reason,
      confirmNumber: z.string().trim().max(20),
    }),
    output: f.done,
  }),
  restore: write('device:delete', {
    path: '/devices/{id}/restore',
    summary:
      'Undo of a sale or a scrapping, by the super administrator: back in stock, without board',
    audit: 'devices.restore',
    errors: [deviceErrors.wrongMove],
    input: z.strictObject({ ...one, reason }),
    output: f.done,
  }),
  previewPauses: read('device:update', {
    path: '/devices/batch-pause',
    summary: 'Whose sales would stop',
    input: z.strictObject({ ids }),
    output: Batch,
  }),
  pauseMany: write('device:update', {
    path: '/devices/batch-pause',
    summary: 'Stop the sales of up to 200 machines; those that do not sell are skipped',
    audit: 'devices.pauseMany',
    input: z.strictObject({ ids, reason }),
    output: Batch,
  }),
}
