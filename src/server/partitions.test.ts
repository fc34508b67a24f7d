import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { testDatabase } from '../../test/support/postgres.ts'
import { withClient } from './catalogue.ts'
import { ensurePartitions } from './partitions.ts'

test('a month that a long reader keeps from being made keeps nobody else from the table', async () => {
  const { ownerUrl, drop } = await testDatabase()
  await withClient(ownerUrl, async (reader) => {
    await reader.query('begin')
    await reader.query('select from orders limit 1')
    const often = { most: 50, pauseMs: 300 }
    const made = ensurePartitions(ownerUrl, new Date('2026-11-21'), 0, 1, often)
    await withClient(ownerUrl, async (buyer) => {
      await buyer.query(`set lock_timeout = '2s'`)
      for (const end = performance.now() + 1500; performance.now() < end; await sleep(20))
        await buyer.query('update orders set id = id where false')
    })
    await reader.query('rollback')
    await made
    const { rows } = await reader.query(`select to_regclass('orders_202612') is not null as made`)
    expect(rows).toEqual([{ made: true }])
  })
  await drop()
})
