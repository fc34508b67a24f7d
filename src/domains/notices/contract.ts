import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { messageEndpoints, messageErrors } from './messageContract.ts'

// the catalogue of errors reads contracts
export { messageErrors }

export const noticeErrors = defineErrors('notices', {
  blank: [400001, '公告内容不能为空', 'Write the announcement'],
  tooLong: [400001, '公告内容过长', 'The announcement is too long'],
  publishInPast: [400001, '发布时间必须晚于当前时间', 'The publishing time must lie in the future'],
  endBeforeStart: [400001, '结束时间必须晚于开始时间', 'The end must be after the start'],
  noTarget: [400001, '请选择发布范围', 'Choose who will receive it'],
  published: [422001, '公告已发布，不能修改', 'A published announcement cannot be changed'],
  notDraft: [422001, '仅草稿可以删除', 'Only drafts can be deleted'],
  notPublished: [422001, '公告不在发布中', 'The announcement is not published'],
  remindedRecently: [422001, '24小时内只能提醒一次', 'Readers can be reminded once in 24 hours'],
})

export const noticeStates = ['DRAFT', 'SCHEDULED', 'PUBLISHED', 'WITHDRAWN', 'EXPIRED'] as const
const State = z.enum(noticeStates).meta({
  tones: {
    DRAFT: 'closed',
    SCHEDULED: 'paid',
    PUBLISHED: 'success',
    WITHDRAWN: 'refunded',
    EXPIRED: 'locked',
  } satisfies Record<string, string>,
})
export const channelNames = ['MESSAGE', 'POPUP'] as const

/** True when nothing is left but markup and blanks; the server asks again after cleaning. */
const blankHtml = (html: string): boolean =>
  html.replace(/<[^<>]*>|&nbsp;|[\s\u200b-\u200f\u2028-\u202f\ufeff]/g, '') === ''

const targets = {
  toAll: z.boolean().default(false),
  orgIds: f.ids().max(200).default([]),
  withSubtree: z.boolean().default(true),
  roleIds: f.ids().max(50).default([]),
  userIds: f.ids().max(500).default([]),
}
const fields = {
  title: f.text(50, bi('公告标题不能为空', 'Enter a title')),
  content: z
    .string({ error: bi('公告内容不能为空', 'Write the announcement') })
    .max(20_000, bi('不能超过20000个字符', 'At most 20000 characters'))
    .meta({ lines: true })
    .refine((html) => !blankHtml(html), bi('公告内容不能为空', 'Write the announcement')),
  images: z
    .array(f.imageUrl)
    .max(5, bi('最多上传5张图片', 'At most 5 pictures'))
    .default([])
    .meta({ unit: 'image' }),
  ...targets,
  channels: z.array(z.enum(channelNames)).min(1).max(2).default(['MESSAGE']),
  publishAt: f.instant.nullable().default(null),
  expireAt: f.instant.nullable().default(null),
  pinned: z.boolean().default(false),
  mustConfirm: z.boolean().default(false),
}
export type NoticeInput = z.infer<z.ZodObject<typeof fields>>
export type Targets = z.infer<z.ZodObject<typeof targets>>

const aimed = (to: Targets): boolean =>
  to.toAll || to.orgIds.length + to.roleIds.length + to.userIds.length > 0
const ordered = ({ publishAt, expireAt }: Pick<NoticeInput, 'publishAt' | 'expireAt'>): boolean =>
  !publishAt || !expireAt || Date.parse(expireAt) > Date.parse(publishAt)
const noTarget = { path: ['toAll'], message: noticeErrors.noTarget.text }
const wrongEnd = { path: ['expireAt'], message: noticeErrors.endBeforeStart.text }

export const NoticeRow = z.strictObject({
  id: f.id,
  img: z.string().meta({ unit: 'image' }),
  title: fields.title,
  toAll: fields.toAll,
  orgCount: f.count,
  roleCount: f.count,
  userCount: f.count,
  channels: fields.channels,
  state: State,
  readCount: f.count,
  targetCount: f.count,
  pinned: fields.pinned,
  mustConfirm: fields.mustConfirm,
  publishTime: f.instant.nullable(),
  expireTime: f.instant.nullable(),
  author: z.string(),
  orgName: z.string(),
  createTime: f.instant,
  version: f.version,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    publish: z.boolean(),
    withdraw: z.boolean(),
    pin: z.boolean(),
    remind: z.boolean(),
  }),
})
export type NoticeRow = z.infer<typeof NoticeRow>

export const NamedPerson = z.strictObject({ id: f.id, name: z.string() })
export const Notice = NoticeRow.extend({
  ...f.shown(fields),
  orgId: f.id,
  /** Cleaned; no rule of the form asks it again. */
  content: z.string(),
  /** Names of the people in `userIds`. */
  users: z.array(NamedPerson),
  remindTime: f.instant.nullable(),
})
export type Notice = z.infer<typeof Notice>

export const ReaderRow = z.strictObject({
  id: f.id,
  name: z.string(),
  userName: z.string(),
  orgName: z.string(),
  readTime: f.instant.nullable(),
  confirmTime: f.instant.nullable(),
})
export type ReaderRow = z.infer<typeof ReaderRow>

const versioned = z.strictObject({ id: f.id, version: f.version })
const timing = [
  noticeErrors.blank,
  noticeErrors.tooLong,
  noticeErrors.publishInPast,
  noticeErrors.endBeforeStart,
]

export const notices = {
  ...messageEndpoints,
  list: read('notice:read', {
    path: '/notices',
    summary: 'Announcements of the own organisations',
    export: 'notice:export',
    input: listQuery(
      {
        keyword,
        state: z.enum(noticeStates).optional(),
        author: z.string().trim().max(30).optional(),
        ...rangeFields,
      },
      ['createTime', 'publishTime', 'expireTime', 'pinned'],
      '-pinned',
    ),
    output: page(NoticeRow),
  }),
  roles: read('notice:read', {
    path: '/notices/roles',
    summary:
      'Roles an announcement may address: built-in ones, those of the own organisation and above, others by name',
    input: z.strictObject({ keyword, ids: f.ids().max(200).optional() }),
    output: z.strictObject({ list: z.array(z.strictObject({ id: f.id, name: z.string() })) }),
  }),
  audience: read('notice:read', {
    path: '/notices/audience',
    summary: 'How many people these targets reach now, inside one organisation (the own one)',
    input: z.strictObject({ ...targets, orgId: f.id.optional() }),
    output: z.strictObject({ count: f.count }),
  }),
  get: read('notice:read', {
    path: '/notices/{id}',
    summary: 'One announcement',
    input: z.strictObject({ id: f.id }),
    output: Notice,
  }),
  readers: read('notice:read', {
    path: '/notices/{id}/readers',
    summary: 'Who has read an announcement and who has not',
    input: listQuery(
      { id: f.id, state: z.enum(['unread', 'read']).default('unread'), keyword },
      ['name', 'readTime'],
      'name',
    ),
    output: page(ReaderRow),
  }),
  create: write('notice:create', {
    path: '/notices',
    summary: 'Write an announcement; it is a draft until it is published',
    audit: 'notices.create',
    errors: timing,
    input: z.strictObject(fields).refine(aimed, noTarget).refine(ordered, wrongEnd),
    output: Notice,
  }),
  update: write('notice:update', {
    method: 'PUT',
    path: '/notices/{id}',
    summary: 'Change a draft; one that waits for its time becomes a draft again',
    audit: 'notices.update',
    errors: [...timing, noticeErrors.published],
    input: versioned.extend(fields).refine(aimed, noTarget).refine(ordered, wrongEnd),
    output: Notice,
  }),
  remove: write('notice:delete', {
    method: 'DELETE',
    path: '/notices/{id}',
    summary: 'Delete a draft',
    audit: 'notices.remove',
    errors: [noticeErrors.notDraft],
    input: versioned,
    output: f.done,
  }),
  publish: write('notice:publish', {
    path: '/notices/{id}/publish',
    summary: 'Publish at its time, or immediately; its readers get their messages within seconds',
    audit: 'notices.publish',
    errors: [
      noticeErrors.publishInPast,
      noticeErrors.endBeforeStart,
      noticeErrors.noTarget,
      noticeErrors.published,
    ],
    input: versioned.extend({ immediately: z.boolean().default(false) }),
    output: Notice,
  }),
  withdraw: write('notice:publish', {
    path: '/notices/{id}/withdraw',
    summary: 'Withdraw: nobody sees it any more, at once',
    audit: 'notices.withdraw',
    errors: [noticeErrors.notPublished],
    input: z.strictObject({ id: f.id }),
    output: Notice,
  }),
  pin: write('notice:update', {
    path: '/notices/{id}/pin',
    summary: 'Keep on top of the lists, or not',
    audit: 'notices.pin',
    input: z.strictObject({ id: f.id, pinned: z.boolean() }),
    output: Notice,
  }),
  remind: write('notice:publish', {
    path: '/notices/{id}/remind',
    summary: 'Pop up again for whoever has not read it, once in 24 hours',
    audit: 'notices.remind',
    errors: [noticeErrors.notPublished, noticeErrors.remindedRecently],
    input: z.strictObject({ id: f.id }),
    output: Notice,
  }),
}
