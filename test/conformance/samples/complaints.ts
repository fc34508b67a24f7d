import { picture, type World, worldNow } from '../../support/world.ts'
import { byRow, type DomainSamples, fresh, own } from './kit.ts'

const insert = (world: World, change: { state?: string; orderNum?: string } = {}) =>
  fresh(
    world,
    `insert into complaints (org_id, device_id, road, order_num, content, source, type, state,
      result, resolved_at, first_reply_due_at, resolve_due_at, created_at)
      values (3, ${own}, 1, ${change.orderNum ? `'${change.orderNum}'` : 'null'}, '诉', 'PHONE',
        'OTHER', '${change.state ?? 'OPEN'}',
      ${change.state === 'RESOLVED' ? `'EXPLAIN', '${worldNow.toISOString()}'` : 'null, null'},
      '${worldNow.toISOString()}', '${worldNow.toISOString()}', '${worldNow.toISOString()}')`,
  )
const open = async (world: World) => ({ id: await insert(world), version: 1 })

export const complaints: DomainSamples = {
  pathIds: { 'complaints id': byRow },
  fieldIds: { 'complaints ids': byRow, 'complaints mainId': byRow, assigneeId: byRow },
  samples: {
    'complaints.create': async () => ({
      content: '没有出货',
      type: 'NOT_DISPENSED',
      deviceId: own,
      images: [picture('OWN')],
    }),
    'complaints.claim': open,
    'complaints.assign': async (world) => ({
      ids: [await insert(world)],
      assigneeId: Number(
        (await world.sql<{ id: number }>(`select id from users where username = 'ROLE_RTU_SP'`))[0]
          ?.id,
      ),
    }),
    'complaints.reply': async (world) => ({ ...(await open(world)), content: '已处理' }),
    'complaints.note': async (world) => ({ ...(await open(world)), content: '已记录' }),
    'complaints.resolve': async (world) => ({
      ...(await open(world)),
      result: 'EXPLAIN',
      remark: '已解释',
    }),
    'complaints.invalidate': async (world) => ({ ...(await open(world)), remark: '无关' }),
    'complaints.reopen': async (world) => ({
      id: await insert(world, { state: 'RESOLVED' }),
      version: 1,
      remark: '再看',
    }),
    'complaints.merge': async (world) => ({ ...(await open(world)), mainId: own }),
    'complaints.refund': async (world) => ({
      id: await insert(world, { orderNum: await world.sell('OWN', ['OK']) }),
      version: 1,
      all: true,
      reason: 'QUALITY',
    }),
    'complaints.remove': async (world) => ({ ...(await open(world)), reason: '测试' }),
  },
}
