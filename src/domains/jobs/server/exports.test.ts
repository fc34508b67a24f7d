import { existsSync, readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../../server/context.ts'
import { claim, runDue } from '../../../server/work.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { exportKind, planExport, removeExpired, writeExport } from './exports.ts'
import { openWorld, type World } from './testWorld.ts'

let world: World
const runNextExport = async (app: App, quick: boolean) =>
  (await runDue(app, exportKind(app, quick ? 'quick' : 'large'))) > 0
const claimExport = async (app: App, quick: boolean) =>
  (await claim(app, exportKind(app, quick ? 'quick' : 'large'), 1))[0]
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
afterEach(() =>
  world.sql(
    `update jobs set state = 'CANCELLED', next_at = null, finished_at = now()
      where state in ('QUEUED', 'RUNNING')`,
  ),
)

const columns = ['name', 'retailPrice', 'costPrice', 'drugClass', 'status', 'updateTime']
const ask = (
  user = 'operator',
  change: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) =>
  world.as(user)(
    'POST',
    '/exports',
    { endpoint: '/api/products', query: { sort: '-updateTime' }, columns, ...change },
    headers,
  )
const storedFiles = () =>
  existsSync(world.app.files.folder)
    ? readdirSync(world.app.files.folder, { recursive: true }).filter((name) =>
        String(name).includes('.xlsx'),
      )
    : []

describe('a list becomes a file', () => {
  test('own rows, words, money, Shanghai time, no formula', async () => {
    const asked = await ask()
    expect(asked).toMatchObject({
      status: 200,
      body: {
        kind: 'EXPORT',
        title: '商品导出',
        state: 'QUEUED',
        total: 2,
        can: { cancel: true, download: false },
      },
    })
    expect((await world.as('operator')('GET', '/jobs/running')).body).toEqual({ count: 1 })
    expect(await runNextExport(world.app, true)).toBe(true)
    expect(await runNextExport(world.app, true)).toBe(false)
    const { body } = await world.as('operator')('GET', `/jobs/${asked.body.id}`)
    expect(body).toMatchObject({
      state: 'DONE',
      total: 2,
      done: 2,
      error: '',
      can: { cancel: false, download: true },
    })
    const file = await world.file('operator', `/jobs/${asked.body.id}/file`)
    expect(file.name).toBe('商品导出_20261121_140000.xlsx')
    expect(file.rows[0]).toEqual(['商品名称', '销售价', '成本价', '药品分类', '状态', '更新时间'])
    const [bad, cola] = file.rows.slice(1).sort((a, b) => String(a[0]).localeCompare(String(b[0])))
    expect(bad?.[0]).toBe(`'=HYPERLINK("http://x","点我")`)
    expect(cola?.slice(0, 4)).toEqual(['可乐', 3.5, 1.23, '非药品'])
    expect(cola?.[5]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(
      await world.sql(`select content from operation_logs where action = 'jobs.export'`),
    ).toEqual([{ content: '导出：商品导出' }])
  })
  test('in English, with the columns asked for and the filter applied', async () => {
    const asked = await ask(
      'operator',
      {
        query: { keyword: '可乐', page: 7, pageSize: 20 },
        columns: ['name', 'drugClass', 'margin'],
      },
      { 'accept-language': 'en' },
    )
    expect(asked.body).toMatchObject({ title: 'Export products', total: 1 })
    await runNextExport(world.app, true)
    expect((await world.file('operator', `/jobs/${asked.body.id}/file`)).rows).toEqual([
      ['Product name', 'Drug class', 'Margin'],
      // a share is a percentage for Excel, not a thousand times as much
      ['可乐', 'Not a drug', 0.649],
    ])
  })
  test('a name that no file of XML may hold, stored before the rule, leaves the file whole', async () => {
    await world.sql(`update products set name = '坏' || chr(65535) || '字' where name = '可乐'`)
    const asked = await ask()
    await runNextExport(world.app, true)
    const { rows } = await world.file('operator', `/jobs/${asked.body.id}/file`)
    await world.sql(`update products set name = '可乐' where name like '坏%'`)
    expect(rows.flat()).toContain('坏字')
  })
  test('nothing found is a file with its head', async () => {
    const asked = await ask('operator', { query: { keyword: '没有' } })
    await runNextExport(world.app, true)
    expect((await world.file('operator', `/jobs/${asked.body.id}/file`)).rows).toHaveLength(1)
  })
})

describe('refused at once', () => {
  test.each([
    ['a list that cannot be exported', { endpoint: '/api/device-types' }, 400, '该列表不支持导出'],
    ['a path of nothing', { endpoint: '/api/nothing' }, 400, '该列表不支持导出'],
    ['unknown columns', { columns: ['name', 'password'] }, 400, '不支持导出的列：password'],
    ['pictures and marks', { columns: ['img'] }, 400, '不支持导出的列：img'],
    ['columns twice are one, none is refused', { columns: [] }, 400, undefined],
    ['a filter the list does not take', { query: { nope: 1 } }, 400, undefined],
    ['a sort the list does not take', { query: { sort: 'password' } }, 400, '排序字段不支持'],
  ] as const)('%s', async (_name, change, status, message) => {
    const { status: got, body } = await ask('operator', change as never)
    expect(got).toBe(status)
    if (message) expect(body.message).toBe(message)
  })
  test('without the right to export, or to read', async () => {
    expect((await ask('reader')).body.code).toBe(403001)
    expect(
      (await ask('reader', { endpoint: '/api/devices', columns: ['rtuNumber'] })).body.code,
    ).toBe(403001)
  })
  test('the sixth open job; a repeated key is one job', async () => {
    const key = { 'idempotency-key': 'one' }
    const first = await ask('operator', {}, key)
    expect((await ask('operator', {}, key)).body.id).toBe(first.body.id)
    for (let i = 0; i < 4; i += 1) expect((await ask()).status).toBe(200)
    expect(await ask()).toMatchObject({
      status: 429,
      body: { message: '您已有 5 个任务在排队或运行，请稍后再试' },
    })
    expect((await ask('sibling')).status).toBe(200)
  })
})

describe('while it waits and runs', () => {
  const state = async (id: number) => (await world.as('operator')('GET', `/jobs/${id}`)).body
  test('a right taken back', async () => {
    const { body } = await ask()
    await world.sql(
      `delete from role_permissions
        where permission_code = 'product:export' and role_id = (select id from roles
          where name = 'operator')`,
    )
    await runNextExport(world.app, true)
    expect(await state(body.id)).toMatchObject({
      state: 'FAILED',
      error: '导出权限已被收回，导出未执行',
      can: { retry: true },
    })
    await world.sql(
      `insert into role_permissions select id, 'product:export' from roles where name = 'operator'`,
    )
    expect((await world.as('operator')('POST', `/jobs/${body.id}/retry`)).body.state).toBe('QUEUED')
    await runNextExport(world.app, true)
    expect(await state(body.id)).toMatchObject({ state: 'DONE', error: '' })
    expect((await world.as('operator')('POST', `/jobs/${body.id}/retry`)).body.code).toBe(409001)
    expect((await world.as('operator')('POST', `/jobs/${body.id}/cancel`)).body.message).toBe(
      '任务已结束，无法取消',
    )
  })
  test('an account that was closed', async () => {
    const { body } = await ask('sibling')
    await world.sql(`update users set status = 'DISABLED' where username = 'sibling'`)
    await runNextExport(world.app, true)
    expect(await world.sql('select state, error from jobs where id = $1', [body.id])).toMatchObject(
      [{ state: 'FAILED', error: expect.stringContaining('已停用') }],
    )
    await world.sql(`update users set status = 'ENABLED' where username = 'sibling'`)
  })
  test('a killed worker: its lease runs out, another one finishes', async () => {
    const { body } = await ask()
    const dead = await claimExport(world.app, true)
    expect(dead?.id).toBe(body.id)
    world.clock.now = new Date(world.clock.now.getTime() + 100_000)
    expect(await runNextExport(world.app, true)).toBe(false)
    world.clock.now = new Date(world.clock.now.getTime() + 30_000)
    expect(await runNextExport(world.app, true)).toBe(true)
    expect(await state(body.id)).toMatchObject({ state: 'DONE', done: 2 })
    expect(await world.sql('select attempts from jobs where id = $1', [body.id])).toEqual([
      { attempts: 2 },
    ])
  })
  test('tries end', async () => {
    const { body } = await ask()
    for (let i = 0; i < 3; i += 1) {
      await claimExport(world.app, true)
      world.clock.now = new Date(world.clock.now.getTime() + 130_000)
    }
    await runNextExport(world.app, true)
    expect(await state(body.id)).toMatchObject({ state: 'FAILED' })
  })
  /** The application with something happening before or after a result file is written. */
  const around = (before: () => Promise<unknown>, after: () => Promise<unknown>): App => ({
    ...world.app,
    files: {
      ...world.app.files,
      write: async (chunks, extension) => {
        await before()
        const file = await world.app.files.write(chunks, extension)
        await after()
        return file
      },
    },
  })
  const nothing = async () => {}
  test('cancelled in the middle: nothing stays', async () => {
    const { body } = await ask()
    const before = storedFiles().length
    await runNextExport(
      around(() => world.as('operator')('POST', `/jobs/${body.id}/cancel`), nothing),
      true,
    )
    expect(await state(body.id)).toMatchObject({ state: 'CANCELLED', fileName: null })
    expect(storedFiles()).toHaveLength(before)
    expect(await runNextExport(world.app, true)).toBe(false)
  })
  test('a worker that was only slow and comes back after another took over: its file is thrown away', async () => {
    const { body } = await ask()
    const before = storedFiles().length
    const overtake = async () => {
      world.clock.now = new Date(world.clock.now.getTime() + 130_000)
      expect(await runNextExport(world.app, true)).toBe(true)
    }
    await runNextExport(around(nothing, overtake), true)
    expect(await state(body.id)).toMatchObject({ state: 'DONE', done: 2 })
    expect(storedFiles()).toHaveLength(before + 1)
    expect((await world.file('operator', `/jobs/${body.id}/file`)).rows).toHaveLength(3)
  })
  test('rows that arrive or go meanwhile: the file shows one moment, none twice, none lost', async () => {
    await world.sql(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
        retail_price, images) select 10000 + n, 4, 1, '货' || n, 'm', 'NONE', 1, 2, '{x}'
        from generate_series(1, 11000) n`,
    )
    const plan = await planExport(await loadPerson(world.app.database, 903), {
      endpoint: '/api/products',
      query: { sort: 'updateTime' },
      columns: ['name'],
    })
    let calls = 0
    const file = await writeExport(world.app, plan, 'zh-CN', async (done, total) => {
      calls += 1
      expect(total).toBe(11_001)
      if (calls === 1) {
        expect(done).toBe(1_000)
        await world.sql(
          `update products set name = name || '改', updated_at = now()
            where id between 10001 and 10100`,
        )
        await world.sql(`delete from products where id between 20000 and 20500`)
        await world.sql(
          `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
            retail_price, images) values (9000, 4, 1, '新来的', 'm', 'NONE', 1, 2, '{x}')`,
        )
      }
    })
    expect([file.rows, calls]).toEqual([11_001, 12])
    await world.sql(
      `insert into jobs (org_id, user_id, kind, name, state, finished_at, file_key, file_name,
        file_bytes, file_expires_at, made_with)
        values (4, 903, 'EXPORT', '/api/products', 'DONE', now(), $1, 'x.xlsx', 1,
          now() + interval '1 year', $2)`,
      [file.name, { rights: [], scope: plan.person.scope }],
    )
    const [{ id }] = (await world.sql<{ id: number }>('select max(id)::int as id from jobs')) as [
      { id: number },
    ]
    await world.sql('update jobs set file_bytes = $2 where id = $1', [id, file.bytes])
    const names = (await world.file('sibling', `/jobs/${id}/file`)).rows
      .slice(1)
      .map(([name]) => name)
    expect(new Set(names).size).toBe(11_001)
    expect(names).not.toContain('新来的')
    expect(names.some((name) => String(name).endsWith('改'))).toBe(false)
  })
})

describe('the file is its owner’s, for seven days', () => {
  test('not for who has less than it was made with', async () => {
    const { body } = await ask()
    await runNextExport(world.app, true)
    const get = async () => {
      const headers = { authorization: await world.login('operator') }
      const { statusCode, body: text } = await world.http.inject({
        url: `/api/jobs/${body.id}/file`,
        headers,
      })
      return statusCode === 200 ? 200 : JSON.parse(text).error
    }
    const role = `(select id from roles where name = 'operator')`
    const download = async () =>
      (await world.as('operator')('GET', `/jobs/${body.id}`)).body.can.download
    // a deed that the list shows as a button is no part of the file; a right that shows a column is
    await world.sql(
      `delete from role_permissions
        where permission_code = 'product-category:create' and role_id = ${role}`,
    )
    expect([await get(), await download()]).toEqual([200, true])
    await world.sql(
      `delete from role_permissions where permission_code = 'product:cost' and role_id = ${role}`,
    )
    expect([await get(), await download()]).toEqual(['jobs.madeWithMore', false])
    await world.sql(
      `insert into role_permissions
        select ${role}, unnest('{product:cost,product-category:create}'::text[])`,
    )
    expect([await get(), await download()]).toEqual([200, true])
    await world.sql(`update roles set data_scope = 'OWN_GOODS' where id = ${role}`)
    expect(await get()).toBe('jobs.madeWithMore')
    await world.sql(`update roles set data_scope = 'ORG_TREE' where id = ${role}`)
    expect(await get()).toBe(200)
    // an organisation below that ended meanwhile holds nothing back; one that went to others does
    const madeOver = (org: number) =>
      world.sql(
        `update jobs set made_with = jsonb_set(made_with, '{scope,orgs}',
          to_jsonb(array[3, $2::int])) where id = $1`,
        [body.id, org],
      )
    await madeOver(987_654)
    expect(await get()).toBe(200)
    await madeOver(4)
    expect(await get()).toBe('jobs.madeWithMore')
    await world.sql(`update jobs set made_with = null where id = $1`, [body.id])
    expect([await get(), await download()], 'made before rights were kept').toEqual([
      'jobs.madeWithMore',
      false,
    ])
  })
  test('nobody else, no token, not for ever', async () => {
    const { body } = await ask()
    await runNextExport(world.app, true)
    const url = `/jobs/${body.id}/file`
    const raw = (headers: Record<string, string>) =>
      world.http.inject({ method: 'GET', url: `/api${url}`, headers })
    expect((await raw({})).json()).toMatchObject({ code: 110001 })
    expect((await raw({ authorization: 'x'.repeat(43) })).statusCode).toBe(401)
    expect((await world.file('sibling', url)).status).toBe(404)
    expect((await world.file('super', url)).status).toBe(404)
    expect((await world.file('operator', '/jobs/99999999/file')).status).toBe(404)
    expect((await world.file('operator', '/jobs/abc/file')).status).toBe(404)
    expect((await world.file('operator', url)).status).toBe(200)
    for (const right of ['product:export', 'product:read']) {
      await world.sql(
        `delete from role_permissions
          where permission_code = $1 and role_id = (select id from roles where name = 'operator')`,
        [right],
      )
      expect((await world.file('operator', url)).status, right).toBe(403)
      expect((await world.as('operator')('GET', `/jobs/${body.id}`)).body).toMatchObject({
        state: 'DONE',
        can: { download: false },
      })
      await world.sql(
        `insert into role_permissions select id, $1 from roles where name = 'operator'`,
        [right],
      )
    }
    expect((await world.file('operator', url)).status, 'given again').toBe(200)
    expect((await world.as('sibling')('GET', `/jobs/${body.id}`)).status).toBe(404)
    expect((await world.as('super')('POST', `/jobs/${body.id}/cancel`)).status).toBe(404)
    const files = storedFiles().length
    await removeExpired(world.app)
    expect(storedFiles()).toHaveLength(files)
    world.clock.now = new Date(world.clock.now.getTime() + 7 * 86_400_000 + 1)
    await world.sql(`update sessions set last_seen_at = $1, expires_at = $2`, [
      world.clock.now,
      new Date(world.clock.now.getTime() + 86_400_000),
    ])
    expect((await world.file('operator', url)).status).toBe(404)
    await removeExpired(world.app)
    expect(storedFiles().length).toBeLessThan(files)
    expect((await world.as('operator')('GET', `/jobs/${body.id}`)).body).toMatchObject({
      state: 'DONE',
      fileName: null,
      expireTime: null,
      can: { download: false },
    })
  })
})
