import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts'
import { commitWith } from './commit.ts'

let database: TestDatabase
let client: pg.Client
const known = new Set<string>()
const put = (id: string | null, note: string) => ({ name: 'put', text: 'insert into things (id, note) values ($1, $2)', values: [id, note] })
const notes = async () => (await client.query('select note from things order by id')).rows.map(({ note }) => note)

beforeAll(async () => {
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  await client.query('create table things (id int primary key, note text)')
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

/** What the act itself wrote, the statements behind it, and the commit. */
async function act(id: number, ...statements: ReturnType<typeof put>[]): Promise<void> {
  await client.query('begin')
  await client.query(`insert into things (id, note) values ($1, 'act')`, [id])
  await commitWith(client, known, statements)
}

it('a statement that fails at its first time commits nothing, and the connection goes on', async () => {
  await expect(act(1, put('1', 'doubled'))).rejects.toMatchObject({ code: '23505' })
  await client.query('rollback')
  expect(await notes()).toEqual([])
  await act(1, put('2', "it's \\ bound"), put('3', 'twice in one act'))
  expect(await notes()).toEqual(['act', "it's \\ bound", 'twice in one act'])
})

it('so does one that fails later, and a commit without company', async () => {
  await expect(act(4, put(null, 'no id'))).rejects.toMatchObject({ code: '23502' })
  await client.query('rollback')
  await act(5)
  expect(await notes()).toEqual(['act', "it's \\ bound", 'twice in one act', 'act'])
})
