import type pg from 'pg'

/** A statement that travels with the commit of its transaction. */
export type LastStatement = { readonly name: string; readonly text: string; readonly values: readonly (string | null)[] }

/**
 * Runs the statements and commits, all in one message: planned once for each connection (`known` remembers), the values bound and
 * not parsed, no answer waited for in between. When one fails nothing is committed.
 */
export async function commitWith(client: pg.ClientBase, known: Set<string>, statements: readonly LastStatement[]): Promise<void> {
  const all = [...statements, { name: 'commit', text: 'commit', values: [] }]
  await new Promise<void>((resolve, reject) => {
    const unused = () => {}
    client.query({
      submit(connection) {
        const planned = new Set(known)
        connection.stream.cork()
        for (const { name, text, values } of all) {
          if (!planned.has(name)) {
            connection.close({ type: 'S', name }, true) // it may be left of a time when what followed failed
            connection.parse({ name, text, types: [] }, true)
            planned.add(name)
          }
          connection.bind({ portal: '', statement: name, binary: '', values: [...values] as string[] }, true)
          connection.execute({ portal: '', rows: '' }, true)
        }
        connection.sync()
        connection.stream.uncork()
      },
      handleRowDescription: unused,
      handleDataRow: unused,
      handleCommandComplete: unused,
      handleEmptyQuery: unused,
      handlePortalSuspended: unused,
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    } as pg.Submittable)
  })
  for (const { name } of all) known.add(name)
}
