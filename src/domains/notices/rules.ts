import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { type NoticeRow, noticeErrors, type noticeStates } from './contract.ts'

export type NoticeState = (typeof noticeStates)[number]

/** A draft may change and go; what was published may only end. */
export const noticeMoves = defineStates<NoticeState>({
  name: 'notice',
  column: 'notices.state',
  start: ['DRAFT'],
  moves: { DRAFT: ['SCHEDULED', 'PUBLISHED'], SCHEDULED: ['DRAFT', 'PUBLISHED'], PUBLISHED: ['WITHDRAWN', 'EXPIRED'], WITHDRAWN: [], EXPIRED: [] },
})

const dayMs = 86_400_000

/** A planned time lies ahead, and the end behind it. */
export function timingRule(n: { publishAt: Date | null; expireAt: Date | null }, now: Date): ErrorDef | null {
  if (n.publishAt && n.publishAt <= now) return noticeErrors.publishInPast
  return n.expireAt && n.expireAt <= (n.publishAt ?? now) ? noticeErrors.endBeforeStart : null
}

/** When it appears: its planned time, or now. */
export const startOf = (n: { publishAt: Date | null }, immediately: boolean, now: Date): Date => (immediately || !n.publishAt ? now : n.publishAt)

export const changeable = (state: NoticeState): ErrorDef | null => (state === 'DRAFT' || state === 'SCHEDULED' ? null : noticeErrors.published)
export const removable = (state: NoticeState): ErrorDef | null => (state === 'DRAFT' ? null : noticeErrors.notDraft)
export const running = (state: NoticeState): ErrorDef | null => (state === 'PUBLISHED' ? null : noticeErrors.notPublished)
export function remindable(n: { state: NoticeState; remindedAt: Date | null }, now: Date): ErrorDef | null {
  const found = running(n.state)
  if (found) return found
  return n.remindedAt && now.getTime() - n.remindedAt.getTime() < dayMs ? noticeErrors.remindedRecently : null
}

type Rights = { update: boolean; delete: boolean; publish: boolean }

/** What the actor may do with the row: the same predicates that guard the verbs. */
export const noticeCan = (n: { state: NoticeState; remindedAt: Date | null }, rights: Rights, now: Date): NoticeRow['can'] => ({
  update: rights.update && changeable(n.state) === null,
  delete: rights.delete && removable(n.state) === null,
  publish: rights.publish && changeable(n.state) === null,
  withdraw: rights.publish && running(n.state) === null,
  pin: rights.update,
  remind: rights.publish && remindable(n, now) === null,
})
