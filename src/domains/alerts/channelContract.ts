import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const channelErrors = defineErrors('alerts', {
  wrongAddress: [422001, '地址不可用：{reason}', 'This address cannot be used: {reason}'],
  noMailServer: [422001, '请先设置邮件服务器', 'Set the mail server first'],
  inAppStays: [422001, '站内信渠道不能删除', 'The in-app channel cannot be deleted'],
  tooManyChannels: [422001, '最多20个渠道', 'At most 20 channels'],
  fieldMissing: [400001, '不能为空', 'Required'],
  linkOver: [422001, '链接无效或已过期', 'This link is wrong or has expired'],
  tooManyTests: [
    429001,
    '每个渠道每分钟可测试一次，每天共{most}次',
    'One test a minute for a channel, {most} a day in all',
  ],
})

export const channelTypes = ['IN_APP', 'WEBHOOK', 'EMAIL'] as const
export type ChannelType = (typeof channelTypes)[number]
const clock = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, bi('时间格式为 HH:mm', 'A time like 06:30'))
const text = (max: number) => z.string().trim().max(max)

/** Written, never read back; left out it stays. */
const secret = z
  .string()
  .min(16, bi('至少16个字符', 'At least 16 characters'))
  .max(200)
  .regex(/^[\x21-\x7e]+$/, bi('只能使用可见的英文字符', 'Visible ASCII characters only'))
const lines = bi('不能包含换行', 'No line breaks')

const fields = {
  name: f.text(30, bi('请输入渠道名称', 'Enter a name')),
  enabled: z.boolean().default(true),
  /** WEBHOOK only. */
  url: z
    .union([
      z
        .url({
          protocol: /^https?$/,
          error: bi('须为 http 或 https 地址', 'An http or https address'),
        })
        .max(300),
      z.literal(''),
    ])
    .default(''),
  secret: secret.optional(),
  /** EMAIL only. */
  recipients: z
    .array(z.email(bi('邮箱格式不正确', 'Not an e-mail address')).max(100))
    .max(20)
    .default([]),
  lang: z.enum(['zh-CN', 'en']).default('zh-CN'),
  tellClosed: z.boolean().default(true),
  quietFrom: clock.nullable().default(null),
  quietTo: clock.nullable().default(null),
  urgentThrough: z.boolean().default(true),
}
type Quiet = { quietFrom: string | null; quietTo: string | null }
function quietTimes({ quietFrom, quietTo }: Quiet, ctx: z.RefinementCtx): void {
  const wrong = (message: string) => ctx.addIssue({ code: 'custom', path: ['quietTo'], message })
  if ((quietFrom === null) !== (quietTo === null))
    wrong(bi('请填写开始和结束时间', 'Give both times, or none'))
  else if (quietFrom !== null && quietFrom === quietTo)
    wrong(bi('开始和结束不能相同', 'Start and end are the same'))
}

const NewChannel = z
  .strictObject({ type: z.enum(['WEBHOOK', 'EMAIL']), ...fields })
  .superRefine(quietTimes)
const EditChannel = z
  .strictObject({ id: f.id, version: f.version, ...fields })
  .superRefine(quietTimes)
export type ChannelFields = Omit<z.infer<typeof NewChannel>, 'type' | 'secret'>

const { secret: _, ...readable } = fields
export const ChannelRow = z.strictObject({
  id: f.id,
  type: z.enum(channelTypes),
  ...readable,
  hasSecret: z.boolean(),
  /** The last message: taken, to be tried again, given up. */
  lastState: z.enum(['SENT', 'RETRY', 'FAILED']).nullable(),
  lastReason: z.string(),
  lastTime: f.instant.nullable(),
  waiting: f.count,
  /** Recipients who did not confirm that they want mail. */
  unconfirmed: z.array(z.string()),
  version: f.version,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type ChannelRow = z.infer<typeof ChannelRow>

const noLines = (value: string) => !/[\r\n]/.test(value)
export const MailServer = z.strictObject({
  /**
   * Where the settings stand: of the own organisation, of one above (shown without details),
   * nowhere.
   */
  source: z.enum(['OWN', 'ABOVE', 'NONE']),
  host: z.string(),
  port: z.number().int(),
  security: z.enum(['TLS', 'STARTTLS', 'NONE']),
  username: z.string(),
  hasPassword: z.boolean(),
  sender: z.string(),
  version: z.number().int().min(0),
})
export type MailServer = z.infer<typeof MailServer>

const one = z.strictObject({ id: f.id })
const linkToken = z
  .string()
  .regex(/^[1-9]\d{0,11}\.[\w-]{43}$/, bi('链接不完整', 'The link is not whole'))

export const channelEndpoints = {
  channels: read('alarm-rule:read', {
    path: '/alert-channels',
    summary: 'Channels of the own organisation with the result of their last message',
    output: z.strictObject({ list: z.array(ChannelRow) }),
  }),
  createChannel: write('alarm-rule:update', {
    path: '/alert-channels',
    summary: 'Add a webhook or e-mail channel',
    audit: 'alerts.createChannel',
    fresh: true,
    errors: [channelErrors.wrongAddress, channelErrors.tooManyChannels, channelErrors.fieldMissing],
    input: NewChannel,
    output: ChannelRow,
  }),
  updateChannel: write('alarm-rule:update', {
    method: 'PUT',
    path: '/alert-channels/{id}',
    summary: 'Change a channel; the secret stays when it is left out',
    audit: 'alerts.updateChannel',
    fresh: true,
    errors: [channelErrors.wrongAddress, channelErrors.fieldMissing],
    input: EditChannel,
    output: ChannelRow,
  }),
  removeChannel: write('alarm-rule:update', {
    method: 'DELETE',
    path: '/alert-channels/{id}',
    summary: 'Delete a channel; what waits in it is not sent',
    audit: 'alerts.removeChannel',
    errors: [channelErrors.inAppStays],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
  testChannel: write('alarm-rule:update', {
    path: '/alert-channels/{id}/test',
    summary: 'Send a test message now; its result stands at the channel within seconds',
    audit: 'alerts.testChannel',
    errors: [channelErrors.noMailServer, channelErrors.tooManyTests],
    input: one,
    output: f.done,
  }),
  confirmMail: write('open', {
    path: '/alert-recipients/confirm',
    summary:
      'Whoever got the message with this link wants mail of alerts of the organisation at his address',
    audit: 'alerts.confirmMail',
    guessable: true,
    errors: [channelErrors.linkOver],
    input: z.strictObject({ token: linkToken }),
    output: z.strictObject({ orgName: z.string() }),
  }),
  mailServer: read('alarm-rule:read', {
    path: '/alert-mail-server',
    summary: 'The mail server of the own organisation',
    output: MailServer,
  }),
  saveMailServer: write('alarm-rule:update', {
    method: 'PUT',
    path: '/alert-mail-server',
    summary:
      'Set the mail server of the own organisation and those below; the password stays when it is left out',
    audit: 'alerts.saveMailServer',
    fresh: true,
    errors: [channelErrors.wrongAddress],
    input: z.strictObject({
      version: z.number().int().min(0).max(2_147_483_647),
      host: z
        .string({ error: bi('请输入服务器地址', 'Enter the host') })
        .trim()
        .toLowerCase()
        .regex(/^[a-z0-9]([a-z0-9.:-]{0,198}[a-z0-9])?$/, bi('请输入服务器地址', 'Enter the host')),
      port: z.number(bi('请输入端口', 'Enter the port')).int().min(1).max(65_535),
      security: z.enum(['TLS', 'STARTTLS', 'NONE']),
      username: text(100).refine(noLines, lines).default(''),
      password: z.string().max(200).refine(noLines, lines).optional(),
      sender: z.email(bi('邮箱格式不正确', 'Not an e-mail address')).max(100),
    }),
    output: MailServer,
  }),
}
