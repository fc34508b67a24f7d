import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts'
import { openWire, type Wire } from './wire.ts'

let database: TestDatabase
let client: pg.Client
let wire: Wire
const put = (id: unknown, note: string) => ({
  name: 'put',
  text: 'insert into things (id, note) values ($1, $2)',
  values: [id, note],
})
const ask = (text: string, values: unknown[] = [], name?: string) =>
  wire.ask({ name, text, values })
const notes = async () =>
  (await ask('select note from things order by id')).rows.map(({ note }) => note)
const begin = { name: 'begin', text: 'begin', values: [] }

beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await client.query('create table things (id int primary key, note text)')
  wire = openWire(client)
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

/** What the act itself wrote, the statements behind it, and the commit. */
async function act(id: number, ...statements: ReturnType<typeof put>[]): Promise<void> {
  wire.later(begin)
  wire.later({ text: `insert into things (id, note) values ($1, 'act')`, values: [id] })
  for (const statement of statements) wire.later(statement)
  await ask('commit')
}

it('a statement that fails at its first time commits nothing, and the connection goes on', async () => {
  await expect(act(1, put(1, 'doubled'))).rejects.toMatchObject({ code: '23505' })
  await ask('rollback')
  expect(await notes()).toEqual([])
  await act(1, put(2, "it's \\ bound"), put(3, 'twice in one act'))
  expect(await notes()).toEqual(['act', "it's \\ bound", 'twice in one act'])
})

it('so does one that fails later, and a commit without company', async () => {
  await expect(act(4, put(null, 'no id'))).rejects.toMatchObject({ code: '23502' })
  await ask('rollback')
  await act(5)
  expect(await notes()).toEqual(['act', "it's \\ bound", 'twice in one act', 'act'])
})

it('answers come in the order of the questions, of kept and of new statements, and those after a failure hear of it', async () => {
  for (let turn = 0; turn < 2; turn += 1) {
    wire.later(begin)
    const [one, two, none, changed] = await Promise.all([
      ask(
        'select $1::int as n, $2::timestamptz as at, null as nothing',
        [turn, new Date(0)],
        'one',
      ),
      ask('select id from things where id = any($1::int[]) order by id', [[1, 2]]),
      ask('select id from things where false', [], 'none'),
      ask('update things set note = note where id <= $1', [2], 'changed'),
    ])
    expect(one?.rows).toEqual([{ n: turn, at: new Date(0), nothing: null }])
    expect([two?.rows, none?.rows, changed?.rows, changed?.count]).toEqual([
      [{ id: 1 }, { id: 2 }],
      [],
      [],
      2,
    ])
    await ask('rollback')
  }
  const all = await Promise.allSettled([
    ask('select 1 as n'),
    ask('select 1 / $1::int', [0], 'bad'),
    ask('select 2', [], 'after'),
  ])
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(await ask('select 2 as n', [], 'after')).toMatchObject({ rows: [{ n: 2 }] })
})

it('nothing is handed over while the connection is busy, after an error as well', async () => {
  const ready: boolean[] = []
  const query = client.query.bind(client) as (message: unknown) => unknown
  const spy = vi.spyOn(client, 'query').mockImplementation(((message: unknown) => {
    ready.push((client as unknown as { readyForQuery: boolean }).readyForQuery)
    return query(message)
  }) as never)
  for (let turn = 0; turn < 3; turn += 1) {
    const failing = expect(ask('select 1 / $1::int', [0])).rejects.toThrow()
    // that one has left by then
    await new Promise(setImmediate)
    const next = ask('select 2 as n')
    await failing
    expect((await next).rows).toEqual([{ n: 2 }])
  }
  spy.mockRestore()
  expect(ready).toEqual(Array(6).fill(true))
})

it('what has not left can be dropped', async () => {
  wire.later(begin)
  wire.later(put(9, 'never'))
  expect(wire.drop(begin)).toBe(false)
  expect(await notes()).not.toContain('never')
})

it('a connection that ends tells everybody who waits', async () => {
  const other = new pg.Client({ connectionString: database.ownerUrl })
  other.on('error', () => {})
  await other.connect()
  const theirs = openWire(other)
  const waits = Promise.allSettled([
    theirs.ask({ text: 'select 1', values: [] }),
    theirs.ask({ text: 'select pg_terminate_backend(pg_backend_pid())', values: [] }),
  ])
  expect((await waits)[1]?.status).toBe('rejected')
  await expect(theirs.ask({ text: 'select 1', values: [] })).rejects.toThrow()
})
