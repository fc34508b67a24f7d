import { on } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import type { CellValue, ColumnDef } from 'hucre/xlsx'
import { openThreads } from '../../../server/threads.ts'
import type { ExportWork, Rendered, Rows } from './exportThread.ts'

/** One for each lane of exports. */
const inThread = openThreads<ExportWork>(new URL('./exportThread.ts', import.meta.url), {
  threads: 2,
  waiting: 10,
  seconds: 3600,
  megabytes: 256,
})
/** So many rows at once: this process does nothing else while it turns them into cells. */
const perTurn = 200

/**
 * The workbook of these rows, part by part; packing happens in a thread, which asks for rows as it
 * goes.
 */
export async function* rendered(
  rows: AsyncIterable<CellValue[]>,
  columns: ColumnDef[],
): AsyncIterable<Uint8Array> {
  const { port1, port2 } = new MessageChannel()
  const left = new AbortController()
  const source = rows[Symbol.asyncIterator]()
  let over = false
  const work = inThread(
    'render',
    { port: port2, columns },
    { transfer: [port2], signal: left.signal },
  )
  // the last part lies before the end in the same channel
  work.catch((error: unknown) => left.abort(error))
  try {
    for await (const [part] of on(port1, 'message', {
      close: ['close'],
      signal: left.signal,
    }) as AsyncIterable<[Rendered]>) {
      if (part) yield part
      else port1.postMessage(over ? null : ((await turn()) satisfies Rows))
    }
    await work
  } catch (error) {
    throw left.signal.aborted ? left.signal.reason : error
  } finally {
    left.abort()
    port1.close()
    await source.return?.()
  }

  async function turn(): Promise<Rows> {
    const found: CellValue[][] = []
    while (found.length < perTurn && !over) {
      const { value, done } = await source.next()
      if (done) over = true
      else found.push(value)
    }
    return found.length ? found : null
  }
}
