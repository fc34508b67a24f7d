import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword } from '../../shared/listQuery.ts'

export const MachineOption = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  orgId: f.id,
  status: z.enum(['online', 'offline']),
})

/** Machines as choices of every screen. */
export const machines = {
  options: read('device:read', {
    path: '/devices/options',
    summary: 'Machines for a select box, at most 50',
    /** `typeOf`: of the type of this machine alone. */
    input: z.strictObject({
      keyword,
      ids: z.array(f.id).max(200).optional(),
      typeOf: f.id.optional(),
    }),
    output: z.strictObject({ list: z.array(MachineOption) }),
  }),
}
