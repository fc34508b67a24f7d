import type { ErrorDef } from '../../shared/errors.ts'
import { dayMs } from '../../shared/instants.ts'
import { defineStates } from '../../shared/moves.ts'
import { type NoticeInput, type NoticeRow, noticeErrors, type noticeStates } from './contract.ts'

export type NoticeState = (typeof noticeStates)[number]

/** A draft may change and go; what was published may only end. */
export const noticeMoves = defineStates<NoticeState>({
  name: 'notice',
  column: 'notices.state',
  start: ['DRAFT'],
  moves: {
    DRAFT: ['SCHEDULED', 'PUBLISHED'],
    SCHEDULED: ['DRAFT', 'PUBLISHED'],
    PUBLISHED: ['WITHDRAWN', 'EXPIRED'],
    WITHDRAWN: [],
    EXPIRED: [],
  },
})

/** A planned time lies ahead, and the end behind it. */
export function timingRule(
  { publishAt, expireAt }: Pick<NoticeInput, 'publishAt' | 'expireAt'>,
  now: Date,
): ErrorDef | null {
  if (publishAt && new Date(publishAt) <= now) return noticeErrors.publishInPast
  return expireAt && new Date(expireAt) <= new Date(publishAt ?? now)
    ? noticeErrors.endBeforeStart
    : null
}

/** When it appears: its planned time, or now. */
export const startOf = (publishAt: string | null, immediately: boolean, now: Date): Date =>
  immediately || !publishAt ? now : new Date(publishAt)

type Reminded = { state: NoticeState; remindTime: string | null }
export const changeable = (state: NoticeState): ErrorDef | null =>
  state === 'DRAFT' || state === 'SCHEDULED' ? null : noticeErrors.published
export const removable = (state: NoticeState): ErrorDef | null =>
  state === 'DRAFT' ? null : noticeErrors.notDraft
export const running = (state: NoticeState): ErrorDef | null =>
  state === 'PUBLISHED' ? null : noticeErrors.notPublished
export function remindable(n: Reminded, now: Date): ErrorDef | null {
  const found = running(n.state)
  if (found) return found
  return n.remindTime && now.getTime() - Date.parse(n.remindTime) < dayMs
    ? noticeErrors.remindedRecently
    : null
}

type Rights = { update: boolean; delete: boolean; publish: boolean }

/** What the actor may do with the row: the same predicates that guard the verbs. */
export const noticeCan = (n: Reminded, rights: Rights, now: Date): NoticeRow['can'] => ({
  update: rights.update && changeable(n.state) === null,
  delete: rights.delete && removable(n.state) === null,
  publish: rights.publish && changeable(n.state) === null,
  withdraw: rights.publish && running(n.state) === null,
  pin: rights.update,
  remind: rights.publish && remindable(n, now) === null,
})
