import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { securityKinds } from './rules.ts'

const Kind = z.enum(securityKinds)
const State = z.enum(['OPEN', 'CLOSED']).meta({ tones: { OPEN: 'fault', CLOSED: 'closed' } })

export const SecurityRow = z.strictObject({
  id: f.id,
  kind: Kind,
  /**
   * A machine number, an order number, an account or an address; `*`: there are too many to tell
   * apart.
   */
  subject: z.string(),
  state: State,
  times: z.number().int(),
  firstTime: f.instant,
  lastTime: f.instant,
  deviceId: f.id.nullable(),
  rtuNumber: z.string(),
  orgName: z.string(),
  version: f.version,
  can: z.strictObject({ close: z.boolean() }),
})
export type SecurityRow = z.infer<typeof SecurityRow>

export const SecurityDetail = SecurityRow.extend({
  /** As read from the latest event; the words for the keys stand in locale.ts under `facts`. */
  facts: z.array(z.strictObject({ key: z.string(), value: z.union([z.string(), z.number()]) })),
  closeName: z.string(),
  closeTime: f.instant.nullable(),
  remark: z.string(),
})
export type SecurityDetail = z.infer<typeof SecurityDetail>

export const security = {
  list: read('security:read', {
    path: '/security-events',
    summary: 'What should not happen and did, newest first',
    input: listQuery(
      {
        keyword,
        kind: Kind.optional(),
        state: State.optional(),
        orgId: f.id.optional(),
        ...rangeFields,
      },
      ['lastTime', 'times'],
      '-lastTime',
    ),
    output: page(SecurityRow),
  }),
  get: read('security:read', {
    path: '/security-events/{id}',
    summary: 'One event with its facts',
    input: z.strictObject({ id: f.id }),
    output: SecurityDetail,
  }),
  close: write('security:update', {
    path: '/security-events/{id}/close',
    summary: 'Somebody looked at it; if it happens again, it is a new event',
    audit: 'security.close',
    input: z.strictObject({ id: f.id, version: f.version, remark: f.optionalLines(200) }),
    output: SecurityDetail,
  }),
}
