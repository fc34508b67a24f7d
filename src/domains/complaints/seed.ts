import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import type { Complaint } from './contract.ts'

const hour = 3_600_000
type Kind = 'CLAIM' | 'NOTE' | 'ASK' | 'REPLY' | 'RESOLVE' | 'CLOSE' | 'INVALID'
type Story = Pick<Complaint, 'type' | 'source' | 'content' | 'state'> & {
  result?: NonNullable<Complaint['result']>
  remark?: string
  talk?: readonly (readonly [kind: Kind, content: string])[]
}

const stories: readonly Story[] = [
  {
    type: 'NOT_DISPENSED',
    source: 'DEVICE_QR',
    content: '付款后机器没有反应，商品没有掉下来。',
    state: 'OPEN',
  },
  {
    type: 'CHARGE',
    source: 'MINI_PROGRAM',
    content: '手机显示扣款成功，机器显示支付超时。',
    state: 'OPEN',
  },
  {
    type: 'NOT_DISPENSED',
    source: 'PHONE',
    content: '卡在弹簧上没有掉下来，请帮忙处理。',
    state: 'HANDLING',
    talk: [
      ['CLAIM', ''],
      ['NOTE', '已联系补货员现场查看'],
    ],
  },
  {
    type: 'QUALITY',
    source: 'MINI_PROGRAM',
    content: '饮料瓶身有凹痕，瓶盖有渗漏。',
    state: 'WAITING',
    talk: [
      ['CLAIM', ''],
      ['ASK', '您好，请补充瓶身照片以便我们核实。'],
    ],
  },
  {
    ...{
      type: 'NOT_DISPENSED',
      source: 'DEVICE_QR',
      content: '买了两件只出了一件。',
      state: 'RESOLVED',
      result: 'REFUND',
      remark: '核实电机未转动，已原路退款',
    },
    talk: [
      ['CLAIM', ''],
      ['REPLY', '您好，已核实并为您办理退款，预计1至3个工作日到账。'],
      ['RESOLVE', '核实电机未转动，已原路退款'],
    ],
  },
  {
    ...{
      type: 'EXPIRED',
      source: 'BACK_OFFICE',
      content: '顾客来电反映面包临近保质期。',
      state: 'CLOSED',
      result: 'EXPLAIN',
      remark: '核实在保质期内，已解释',
    },
    talk: [
      ['CLAIM', ''],
      ['REPLY', '您好，经核实商品在保质期内，请放心食用。'],
      ['RESOLVE', '核实在保质期内，已解释'],
      ['CLOSE', ''],
    ],
  },
  {
    type: 'OTHER',
    source: 'MINI_PROGRAM',
    content: '测试',
    state: 'INVALID',
    remark: '内容与设备无关',
    talk: [['INVALID', '内容与设备无关']],
  },
  {
    ...{
      type: 'DEVICE',
      source: 'PHONE',
      content: '屏幕一直黑屏，无法选择商品。',
      state: 'RESOLVED',
      result: 'REPAIR',
      remark: '已派维修员更换屏线',
    },
    talk: [
      ['CLAIM', ''],
      ['RESOLVE', '已派维修员更换屏线'],
    ],
  },
]

type Sale = {
  org_id: number
  device_id: number
  order_num: string
  consumer: string
  created_at: Date
  road: number | null
  user_id: number | null
  username: string | null
}

/** Some of the last weeks' orders that went wrong were complained about; every state is there. */
export async function seedComplaints(db: Db, now: Date): Promise<void> {
  const rows = await rowsOf<Sale>(db)`
    select o.org_id, o.device_id, o.order_num, o.consumer, o.created_at,
      (select min(u.road) from order_units u
        where u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id) as road,
          p.id as user_id, p.username
    from orders o left join users p on p.org_id = o.org_id and p.is_principal
    where o.order_status in ('REFUNDED', 'ABNORMAL')
      and o.created_at > ${new Date(now.getTime() - 20 * 24 * hour)}
    order by o.created_at desc, o.order_num limit 96`
  for (const [index, sale] of rows.entries()) {
    const age = now.getTime() - sale.created_at.getTime()
    const fits = stories.filter(
      (story) =>
        (age < 36 * hour ? true : !['OPEN', 'WAITING'].includes(story.state)) &&
        (age > 8 * 24 * hour || story.state !== 'CLOSED'),
    )
    const story = fits[index % fits.length] as Story
    const at = new Date(
      Math.min(sale.created_at.getTime() + (10 + (index % 50)) * 60_000, now.getTime() - 60_000),
    )
    const done = story.state === 'RESOLVED' || story.state === 'CLOSED'
    const answered = story.talk?.some(([kind]) => kind === 'REPLY' || kind === 'ASK') || done
    const step = (n: number) =>
      new Date(Math.min(at.getTime() + (n + 1) * 35 * 60_000, now.getTime() - 1000))
    const { id } = await db
      .insertInto('complaints')
      .values({
        ...{
          org_id: sale.org_id,
          device_id: sale.device_id,
          road: sale.road,
          order_num: sale.order_num,
          username: sale.consumer,
          created_at: at,
        },
        ...{
          type: story.type,
          source: story.source,
          content: story.content,
          state: story.state,
          remark: story.remark ?? '',
          result: story.result ?? null,
        },
        contact_phone: `1390000${String(1000 + index)}`,
        assignee_id: story.talk?.some(([kind]) => kind === 'CLAIM') ? sale.user_id : null,
        refunded: story.result === 'REFUND',
        first_reply_due_at: new Date(at.getTime() + 4 * hour),
        resolve_due_at: new Date(at.getTime() + 48 * hour),
        first_replied_at: answered ? step(1) : null,
        resolved_at: done ? step(2) : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const talk = (story.talk ?? []).map(([kind, content], n) => ({
      ...{ complaint_id: id, org_id: sale.org_id, kind, content, created_at: step(n) },
      user_id: kind === 'CLOSE' ? null : sale.user_id,
      username: kind === 'CLOSE' ? 'system' : (sale.username ?? 'system'),
    }))
    if (talk.length) await db.insertInto('complaint_entries').values(talk).execute()
  }
}
