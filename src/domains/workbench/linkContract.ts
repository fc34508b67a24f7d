import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { Board } from './boardContract.ts'
import { type LinkTime, linkHours, workbenchErrors } from './rules.ts'

const State = z
  .enum(['LIVE', 'OVER', 'REVOKED'])
  .meta({ tones: { LIVE: 'online', OVER: 'closed', REVOKED: 'closed' } })

const fields = {
  name: f.text(40, bi('请输入展示位置', 'Say where it is shown')),
  /** Amounts are shown too. */
  money: z.boolean().default(false),
}
export const NewLink = z.strictObject({
  orgId: f.id.optional(),
  ...fields,
  time: z.enum(Object.keys(linkHours) as [LinkTime, ...LinkTime[]]).default('D7'),
})

/** Of its code nothing is kept but the hash: it is told once, to whoever makes it. */
export const LinkRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  orgId: f.id,
  orgName: z.string(),
  state: State,
  creator: z.string(),
  createTime: f.instant,
  expireTime: f.instant,
  revokeTime: f.instant.nullable(),
  version: f.version,
})
export type LinkRow = z.infer<typeof LinkRow>

export const linkEndpoints = {
  links: read('screen:share', {
    path: '/workbench/share-links',
    summary: 'Links that show the wall display to whoever has them, newest first',
    input: listQuery(
      { orgId: f.id.optional(), state: State.optional() },
      ['createTime', 'expireTime'],
      '-createTime',
    ),
    output: page(LinkRow),
  }),
  createLink: write('screen:share', {
    path: '/workbench/share-links',
    summary: 'A link to the wall display of one organisation; whoever has it needs no account',
    audit: 'workbench.createLink',
    idempotent: false,
    fresh: true,
    errors: [workbenchErrors.tooManyLinks, workbenchErrors.moneyNotYours],
    input: NewLink,
    output: z.strictObject({ id: f.id, url: z.string(), expireTime: f.instant }),
  }),
  revokeLink: write('screen:share', {
    path: '/workbench/share-links/{id}/revoke',
    summary: 'The link shows nothing any more, also where it is open',
    audit: 'workbench.revokeLink',
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
  /** The code travels as a token does, so that no address and no log has it. */
  wall: read('open', {
    path: '/screen/board',
    summary: 'Figures of the wall display for a display link, in the Authorization header',
    scope: 'system',
    perMinute: 120,
    errors: [workbenchErrors.linkOver],
    output: Board,
  }),
}
