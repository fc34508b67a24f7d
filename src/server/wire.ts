import pg from 'pg'
import utils from 'pg/lib/utils.js'
import { openFrames, type Value } from './frames.ts'

/** A statement; one with a name is planned once for each connection. */
export type Statement = {
  readonly name?: string | undefined
  readonly text: string
  readonly values: readonly unknown[]
}
export type Answer = { readonly rows: Record<string, unknown>[]; readonly count: number }

/**
 * The way to one connection. What is asked in one turn of the event loop travels in one message, in
 * the order in which it was asked, and PostgreSQL runs it in that order; after a failure it skips
 * the rest of the message.
 */
export type Wire = {
  ask(statement: Statement): Promise<Answer>
  /** Leaves with what is asked next. Whoever asks that hears of its failure. */
  later(statement: Statement): void
  /** Forgets what has not left; true when `statement` had. */
  drop(statement: Statement): boolean
}

type Column = { readonly name: string; readonly read: (value: string) => unknown }
type Asked = {
  readonly statement: Statement
  readonly values: readonly Value[]
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
/** Columns of the statements that a connection has planned. */
type Known = Map<string, readonly Column[]>

type Connection = Parameters<pg.Submittable['submit']>[0]
const unheard = () => {}

export function openWire(client: pg.ClientBase): Wire {
  const known: Known = new Map()
  let waiting: Asked[] = []
  let asked = false
  let busy = false
  const add = (statement: Statement, resolve: Asked['resolve'], reject: Asked['reject']) =>
    waiting.push({
      statement,
      values: statement.values.map((value) => utils.prepareValue(value)),
      resolve,
      reject,
    })
  const leave = () => {
    if (busy || !asked) return
    busy = true
    asked = false
    const all = waiting
    waiting = []
    const answered = () => {
      busy = false
      leave()
    }
    client.query(message(all, known, answered, () => onceReady(client, answered)))
  }
  return {
    ask: (statement) =>
      new Promise((resolve, reject) => {
        add(statement, resolve, reject)
        if (!asked) queueMicrotask(leave)
        asked = true
      }),
    later: (statement) => void add(statement, unheard, unheard),
    drop(statement) {
      const gone = waiting
      waiting = []
      asked = false
      for (const { reject } of gone) reject(new Error('the act ended before this statement left'))
      return !gone.some((asked) => asked.statement === statement)
    },
  }
}

/** After an error the connection is ready when it says so; or it ends. */
function onceReady(client: pg.ClientBase, then: () => void): void {
  const go = () => {
    client.off('drain', go)
    client.off('end', go)
    then()
  }
  client.on('drain', go)
  client.on('end', go)
}

/**
 * Statements with one end: planned where they are not known, the values bound and not parsed, no
 * answer waited for in between.
 */
function message(
  all: readonly Asked[],
  known: Known,
  answered: () => void,
  failed: () => void,
): pg.Submittable {
  const answers: {
    columns: readonly Column[] | undefined
    rows: (string | null)[][]
    count: number
  }[] = []
  let columns: readonly Column[] | undefined
  let rows: (string | null)[][] = []
  let settled = false
  const settle = (error?: unknown) => {
    if (settled) return
    settled = true
    for (const [n, asked] of all.entries()) {
      const answer = answers[n]
      if (!answer) {
        asked.reject(error)
        continue
      }
      try {
        asked.resolve({
          rows: answer.rows.map((row) => read(row, answer.columns ?? [])),
          count: answer.count,
        })
      } catch (unreadable) {
        asked.reject(unreadable)
      }
    }
  }
  const complete = (count: number) => {
    const name = all[answers.length]?.statement.name
    if (name && !known.has(name)) known.set(name, columns ?? [])
    answers.push({ columns: columns ?? (name ? known.get(name) : undefined), rows, count })
    columns = undefined
    rows = []
  }
  return {
    asked: all,
    submit(connection: Connection) {
      const planned = new Set<string>()
      const out = openFrames()
      for (const { statement, values } of all) {
        const { name = '', text } = statement
        const fresh = name === '' || !known.has(name)
        if (fresh && !planned.has(name)) {
          if (name) {
            out.close(name) // it may be left of a time when what followed failed
            planned.add(name)
          }
          out.parse(name, text)
        }
        out.bind(name, values)
        if (fresh) out.describe()
        out.execute()
      }
      // one write: the stream would hand on each part by itself
      if (connection.stream.writable) connection.stream.write(out.end())
    },
    handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }) {
      columns = fields.map(({ name, dataTypeID }) => ({
        name,
        read: pg.types.getTypeParser(dataTypeID, 'text'),
      }))
    },
    handleDataRow: ({ fields }: { fields: (string | null)[] }) => void rows.push(fields),
    handleCommandComplete: ({ text }: { text: string }) =>
      complete(Number(/\d+$/.exec(text)?.[0] ?? 0)),
    handleEmptyQuery: () => complete(0),
    handlePortalSuspended: unheard,
    handleError(error: Error, connection: Connection) {
      Error.captureStackTrace(error)
      const first = !settled
      settle(error)
      if (!first) return
      // on what is gone nothing comes any more: whoever asks next is told so
      if (connection.stream.writable) failed()
      else answered()
    },
    handleReadyForQuery() {
      settle()
      answered()
    },
  } as unknown as pg.Submittable
}

function read(
  row: readonly (string | null)[],
  columns: readonly Column[],
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let n = 0; n < columns.length; n += 1) {
    const { name, read } = columns[n] as Column
    const value = row[n] ?? null
    object[name] = value === null ? null : read(value)
  }
  return object
}
