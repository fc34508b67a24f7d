import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { type CellValue, type ColumnDef, writeXlsxStream } from 'hucre/xlsx'
import { serveThread } from '../../../server/threadMain.ts'
import { madeStorable } from '../../../shared/text.ts'

export type Rendering = { port: MessagePort; columns: ColumnDef[] }
/** What goes to whoever has the rows: a part of the file, or null to ask for more rows. */
export type Rendered = Uint8Array | null
/** What comes back: rows, or null after the last. */
export type Rows = CellValue[][] | null

/** Rows may be older than the rule of what is stored; one sign that XML has not spoils the file. */
const clean = (cell: CellValue): CellValue => (typeof cell === 'string' ? madeStorable(cell) : cell)

async function* asked(port: MessagePort): AsyncIterable<CellValue[]> {
  for (;;) {
    port.postMessage(null)
    const [rows] = (await once(port, 'message')) as [Rows]
    if (!rows) return
    yield* rows.map((cells) => cells.map(clean))
  }
}

/**
 * A whole list as a workbook, packed in this thread; it asks for rows when it has written those it
 * had.
 */
async function render({ port, columns }: Rendering): Promise<void> {
  for await (const chunk of writeXlsxStream(asked(port), {
    name: 'Data',
    columns,
    freezePane: { rows: 1 },
  }))
    port.postMessage(chunk)
  port.close()
}

const work = { render }
export type ExportWork = typeof work
serveThread(work)
