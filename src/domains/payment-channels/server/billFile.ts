import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../../../server/context.ts'
import { Overrun, openThreads } from '../../../server/threads.ts'
import type { BillWork, ReadBill } from './billThread.ts'
import type { BillType, Merchant } from './channels.ts'

const threads = openThreads<BillWork>(new URL('./billThread.ts', import.meta.url), {
  ...{ threads: 1, waiting: 5, seconds: 30, megabytes: 384 },
  apart: true,
})

/** The lines of a bill that somebody uploaded, or why it is none of this merchant. */
export async function readBillFile(
  app: App,
  { provider, mchId, appId }: Pick<Merchant, 'provider' | 'mchId' | 'appId'>,
  bytes: Buffer,
  { orgId, most, type }: { orgId: number; most: number; type: BillType },
): Promise<ReadBill> {
  const file = join(app.config.dataDir, `bill-upload-${randomUUID()}.tmp`)
  try {
    await writeFile(file, bytes, { mode: 0o600 })
    return await threads('read', { file, provider, mchId, appId, most, type }, { orgId })
  } catch (error) {
    if (error instanceof Overrun) return { fault: 'too complex' }
    throw error
  } finally {
    await rm(file, { force: true })
  }
}
