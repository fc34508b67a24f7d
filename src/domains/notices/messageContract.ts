import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { unread } from './unreadContract.ts'

/** The message centre: a person's own messages. */
export const messageErrors = defineErrors('messages', {
  confirmFirst: [
    422001,
    '请先确认阅读该公告',
    'Confirm that you have read this announcement first',
  ],
  nothingToConfirm: [422001, '该消息无需确认', 'This message needs no confirmation'],
  which: [400001, '请选择要标记的消息', 'Choose the messages to mark'],
})

export const messageKinds = [
  'ANNOUNCEMENT',
  'DEVICE_ALARM',
  'ORDER',
  'STOCK',
  'JOB',
  'LEASE',
  'SYSTEM',
] as const

export const MessageRow = z.strictObject({
  id: f.id,
  img: z.string().meta({ unit: 'image' }),
  kind: z.enum(messageKinds),
  title: z.string(),
  /** The beginning, without markup. */
  content: z.string(),
  pinned: z.boolean(),
  mustConfirm: z.boolean(),
  readTime: f.instant.nullable(),
  confirmTime: f.instant.nullable(),
  createTime: f.instant,
})
export type MessageRow = z.infer<typeof MessageRow>

export const Message = MessageRow.extend({
  /** Sanitised; empty for messages of the system, whose text is `content`. */
  html: z.string(),
  images: z.array(z.string()),
  sender: z.string(),
  /** A page of the app, or empty. */
  link: z.string(),
})
export type Message = z.infer<typeof Message>

export const messageEndpoints = {
  inbox: read('message:read', {
    path: '/messages',
    summary: 'Own messages: unread or read',
    input: listQuery(
      {
        state: z.enum(['unread', 'read']).default('unread'),
        kind: z.enum(messageKinds).optional(),
        keyword,
        ...rangeFields,
      },
      ['createTime', 'pinned'],
      '-pinned',
    ),
    output: page(MessageRow),
  }),
  unread,
  message: read('message:read', {
    path: '/messages/{id}',
    summary: 'One own message',
    input: z.strictObject({ id: f.id }),
    output: Message,
  }),
  markRead: write('message:read', {
    path: '/messages/read',
    summary: 'Mark own messages read: some, or all',
    audit: { none: 'a person reading his own messages; the row keeps when' },
    scope: 'system',
    errors: [messageErrors.which],
    input: z
      .strictObject({ ids: f.ids().min(1).max(1000).optional(), all: z.literal(true).optional() })
      .refine(({ ids, all }) => (ids === undefined) !== (all === undefined), {
        path: ['ids'],
        message: bi('请选择要标记的消息', 'Choose the messages to mark'),
      }),
    output: z.strictObject({ marked: f.count }),
  }),
  confirm: write('message:read', {
    path: '/messages/{id}/confirm',
    summary: 'Confirm having read an announcement',
    audit: { none: 'a person confirming his own message; the row keeps when' },
    scope: 'system',
    errors: [messageErrors.nothingToConfirm],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
  hide: write('message:read', {
    method: 'DELETE',
    path: '/messages/{id}',
    summary: 'Take a message off the own list',
    audit: { none: 'a person tidying his own messages; the row stays' },
    errors: [messageErrors.confirmFirst],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
