import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../test/support/world.ts'
import { orders } from '../domains/orders/contract.ts'
import { session } from '../domains/session/contract.ts'
import { users } from '../domains/users/contract.ts'
import { systemScope } from './database.ts'
import { openFairQueue } from './fairQueue.ts'
import { mostWaiting } from './http.ts'
import { heavyReads } from './shares.ts'

const held = () => {
  let free = () => {}
  const until = new Promise<void>((resolve) => {
    free = resolve
  })
  return { free: () => free(), work: () => until }
}

describe('turns', () => {
  test('so many at once, then one organisation after the other', async () => {
    const turns = openFairQueue({ atOnce: 2, waiting: 10, waitMs: 1000 })
    const order: string[] = []
    const slow = [held(), held()]
    const first = slow.map(({ work }) => turns.take(1, work))
    const later = [1, 1, 1, 2, 3, 2].map((org, i) =>
      turns.take(org, async () => order.push(`${org}.${i}`)),
    )
    slow[0]?.free()
    await Promise.all(later)
    expect(order).toEqual(['2.3', '3.4', '1.0', '2.5', '1.1', '1.2'])
    slow[1]?.free()
    await Promise.all(first)
  })
  test('one that asks without end takes neither the place nor the time of another, even one at once', async () => {
    const turns = openFairQueue({ atOnce: 1, waiting: 20, waitMs: 1000 })
    const order: number[] = []
    const slow = held()
    const running = turns.take(1, slow.work)
    const asked = Array.from({ length: 200 }, () =>
      turns.take(1, async () => order.push(1)).catch(() => order.length),
    )
    const other = turns.take(2, async () => order.push(2))
    slow.free()
    await Promise.all([running, other, ...asked])
    expect([order.length, order.indexOf(2) <= 1]).toEqual([21, true])
  })
  test('one has his places and no more, so that whoever comes then finds one', async () => {
    const turns = openFairQueue({ atOnce: 3, each: 2, waiting: 10, waitMs: 1000 })
    const order: string[] = []
    const slow = [held(), held()]
    const first = slow.map(({ work }) => turns.take('a', work))
    const third = turns.take('a', async () => order.push('a'))
    await turns.take('b', async () => order.push('b'))
    expect(order).toEqual(['b'])
    slow[0]?.free()
    await third
    expect(order).toEqual(['b', 'a'])
    slow[1]?.free()
    await Promise.all(first)
  })
  test('who waits too long, or finds too many waiting, is told to come again', async () => {
    const turns = openFairQueue({ atOnce: 1, waiting: 1, waitMs: 30 })
    const slow = held()
    const running = turns.take(1, slow.work)
    const waits = turns.take(1, async () => 1)
    await expect(turns.take(1, async () => 1)).rejects.toThrow('common.busy')
    await expect(waits).rejects.toThrow('common.busy')
    slow.free()
    await running
    expect(await turns.take(1, async () => 'free again')).toBe('free again')
    await expect(turns.take(1, () => Promise.reject(new Error('its own')))).rejects.toThrow(
      'its own',
    )
    expect(await turns.take(1, async () => 'and again')).toBe('and again')
  })
})

describe('a process whose lists are all busy', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.close())
  test('still sells, signs people in and answers what is light; lists wait, then 503 with Retry-After', async () => {
    const token = await world.login('ROLE_SUPER_ADMIN')
    const slow = held()
    const taken = Array.from({ length: 30 }, () =>
      heavyReads(world.app)
        .take(1, slow.work)
        .catch(() => {}),
    )
    const list = world.call(users.list, {}, { token })
    expect((await world.call(session.user, {}, { token })).status).toBe(200)
    expect(await world.sell('OWN', ['OK'])).toMatch(/^\d{20}$/)
    expect(await Promise.race([list.then(() => 'answered'), sleep(200).then(() => 'waits')])).toBe(
      'waits',
    )
    slow.free()
    await Promise.all(taken)
    expect((await list).status).toBe(200)
    const more = held()
    const full = Array.from({ length: 1000 }, () =>
      heavyReads(world.app)
        .take(1, more.work)
        .catch(() => {}),
    )
    const refused = await world.call(users.list, {}, { token })
    expect([
      refused.status,
      refused.body.code,
      Number(refused.headers['retry-after']) >= 1,
    ]).toEqual([503, 503001, true])
    more.free()
    await Promise.all(full)
  })
  test('new orders are turned away at the door while writes queue, and taken again after', async () => {
    const slow = held()
    const full = Array.from({ length: mostWaiting + 20 }, () =>
      world.app.database.transact(systemScope, slow.work),
    )
    const input = {
      rtuNumber: 'HD999999',
      items: [{ roadIndex: 1, count: 1, price: 1 }],
      payType: 'WECHAT',
      clientId: randomUUID(),
    }
    const refused = await world.call(orders.mobileOrder, input).finally(slow.free)
    await Promise.all(full)
    expect([
      refused.status,
      refused.body.code,
      Number(refused.headers['retry-after']) >= 1,
    ]).toEqual([503, 503001, true])
    expect((await world.call(orders.mobileOrder, input)).status).toBe(404)
  })
})
