import { readXlsx } from 'hucre/xlsx'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { digest } from '../../../../test/support/digest.ts'
import { defineImporter, eachRow, type Importer } from '../../../server/importers.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { importers } from '../../product.ts'
import { jobErrors } from '../contract.ts'
import { xlsx } from './testFiles.ts'
import { openWorld, type World } from './testWorld.ts'

/** Rows whose names are codes of the database: what it then says of them. */
const ended: string[] = []
const categories = defineImporter({
  kind: 'test-categories',
  title: bi('测试分类', 'Test categories'),
  permission: 'product-category:create',
  columns: [
    {
      key: 'name',
      title: bi('名称', 'Name'),
      required: true,
      example: bi('=示例', '=Example'),
      note: bi('不超过30字', 'At most 30 characters'),
    },
    { key: 'phone', title: bi('电话', 'Phone') },
  ],
  row: z.strictObject({
    name: f.text(30, bi('请输入名称', 'Enter a name')),
    phone: f.mobile.optional(),
  }),
  unique: ['name'],
  touches: 'products',
  run: (ctx, rows) =>
    eachRow(ctx, rows, async ({ db, actor }, { name }) => {
      if (/^[0-9A-Z]{5}$/.test(name)) {
        ended.push(name)
        await sql.raw(`do $$ begin raise exception using errcode = '${name}'; end $$`).execute(db)
      }
      if (name === '坏')
        throw new Refusal(jobErrors.fileGone, {}, [
          { field: 'name', text: bi('不许叫坏', 'Not bad') },
        ])
      await sql`insert into product_categories (org_id, name)
        values (${actor.orgId}, ${name})`.execute(db)
    }),
})

let world: World
beforeAll(async () => {
  ;((await importers()) as Importer[]).push(categories)
  world = await openWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  await world.sql(`delete from product_categories where id > 1`)
  await world.sql(`delete from jobs`)
})

const head = ['名称*', '电话']
const many = (count: number, name = (i: number) => `分类${i}`) =>
  Array.from({ length: count }, (_, i) => [name(i), '13800138000'])
const send = (file: Buffer | string, { dry = false, user = 'operator', name = 'a.xlsx' } = {}) =>
  world.upload(user, `/imports/test-categories${dry ? '?dryRun=true' : ''}`, file, name)
const count = async () =>
  Number(
    (await world.sql<{ n: string }>('select count(*) as n from product_categories where id > 1'))[0]
      ?.n,
  )

describe('a good file', () => {
  test('is tried, then imported, once', async () => {
    const file = await xlsx([
      head,
      ['饮品', '１３８００１３８０００'],
      ['=1+1', ''],
      [' 干果 ', 13800138001],
    ])
    const before = await digest(world, ['operation_logs', 'operation_log_seals'])
    expect(await send(file, { dry: true })).toMatchObject({
      status: 200,
      body: { jobId: null, total: 3, failed: 0, faults: [] },
    })
    expect(await digest(world, ['operation_logs', 'operation_log_seals'])).toEqual(before)
    const { status, body } = await send(file)
    expect([status, body]).toEqual([
      200,
      { jobId: expect.any(Number), total: 3, failed: 0, faults: [] },
    ])
    expect(
      (
        await world.sql(
          'select org_id::int, name from product_categories where id > 1 order by name',
        )
      ).map((row) => Object.values(row)),
    ).toEqual(
      expect.arrayContaining([
        [3, '=1+1'],
        [3, '干果'],
        [3, '饮品'],
      ]),
    )
    expect((await world.as('operator')('GET', `/jobs/${body.jobId}`)).body).toMatchObject({
      kind: 'IMPORT',
      title: '测试分类',
      state: 'DONE',
      total: 3,
      done: 3,
      failed: 0,
    })
    expect(await send(file)).toMatchObject({ status: 409, body: { message: '请勿重复导入' } })
    world.clock.now = new Date(world.clock.now.getTime() + 601_000)
    expect((await send(file)).body.error).toBe('jobs.rowsRefused') // the names are taken now
  })
  test('two at once: one', async () => {
    const file = await xlsx([head, ['甲', '']])
    const answers = await Promise.all([send(file), send(file), send(file)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await count()).toBe(1)
  })
  test.each([
    ['csv', '名称,电话\r\n茶,13800138000\r\n'],
    [
      'csv with a mark and English heads in another order',
      '\ufeffphone,NAME\n13800138000,"Tea, green"\n',
    ],
    ['tabs', '名称\t电话\n茶\t13800138000\n'],
    ['only what is needed', '名称\n茶\n'],
    ['empty lines between', '名称,电话\n,\n茶,\n,\n'],
  ])('%s', async (_name, text) =>
    expect((await send(text, { name: 'a.csv' })).body).toMatchObject({ total: 1, failed: 0 }),
  )
  test('a csv of Excel in China', async () => {
    // 名称 / 茶 in GBK
    expect(
      (await send(Buffer.from([0xc3, 0xfb, 0xb3, 0xc6, 0x0a, 0xb2, 0xe8, 0x0a]))).body,
    ).toMatchObject({ total: 1 })
    expect(await world.sql('select name from product_categories where id > 1')).toEqual([
      { name: '茶' },
    ])
  })
})

describe('text', () => {
  test('is stored by the rule of all texts; what cannot be stored is named with its row and column', async () => {
    expect((await send(['名称*,电话', '茶\u200b叶\u202e,', 'e\u0301,'].join('\n'))).status).toBe(
      200,
    )
    expect(
      (await world.sql('select name from product_categories where id > 1 order by id')).map(
        (row) => row.name,
      ),
    ).toEqual(['茶叶', 'é'])
    const { body } = await send(['名称*,电话', '好,', '坏\u009b,'].join('\n'), { dry: true })
    expect(body.faults).toMatchObject([{ row: 3, message: '包含无法保存的字符' }])
  })
})

describe('all or nothing', () => {
  test('a thousand rows, row 57 bad', async () => {
    const rows = many(1000)
    rows[55] = ['分类x', '12345678901']
    const file = await xlsx([head, ...rows])
    const tried = await send(file, { dry: true })
    expect(tried.body).toEqual({
      jobId: null,
      total: 1000,
      failed: 1,
      faults: [{ row: 57, column: 'phone', title: '电话', message: '手机号码不合法' }],
    })
    const { status, body } = await send(file)
    expect([status, body.code, body.message, body.errors]).toEqual([
      400,
      400001,
      '共 1 行有误，未导入任何数据',
      [{ field: 'rows.57.phone', message: '手机号码不合法' }],
    ])
    expect(await count()).toBe(0)
    const [job] = await world.sql<{ id: number }>('select * from jobs')
    expect(job).toMatchObject({ state: 'FAILED', total: 1000, done: 0, failed: 1 })
    expect((await world.as('operator')('GET', `/jobs/${job?.id}/faults`)).body.list).toHaveLength(1)
    expect((await world.as('sibling')('GET', `/jobs/${job?.id}/faults`)).status).toBe(404)
    const marked = await world.file('operator', `/jobs/${job?.id}/file`)
    expect([marked.rows.length, marked.rows[0]?.at(-1), marked.rows[56]]).toEqual([
      1001,
      '错误',
      ['分类x', '12345678901', '电话: 手机号码不合法'],
    ])
  })
  test('what only the verb and the table know: every bad row is named, none is kept', async () => {
    await world.sql(`insert into product_categories (org_id, name) values (3, '有了')`)
    const file = await xlsx([head, ['好', ''], ['坏', ''], ['有了', ''], ['也好', '']])
    const { body } = await send(file)
    expect(body.errors).toEqual([
      { field: 'rows.3.name', message: '不许叫坏' },
      { field: 'rows.4', message: '数据已存在' },
    ])
    expect(await count()).toBe(1)
    expect((await send(file, { dry: true })).body.faults).toHaveLength(2)
    const marked = await world.upload('operator', '/imports/test-categories/marked', file)
    const { sheets } = await readXlsx(marked.body as Buffer)
    expect(sheets[0]?.rows.map((row) => row.at(-1) ?? '')).toEqual([
      '错误',
      '',
      '名称: 不许叫坏',
      '数据已存在',
      '',
    ])
    const trials = `select 1 from operation_logs where action = 'jobs.import' and result = 'SUCCESS'
      and after ->> 'failed' = '2'`
    expect(await world.sql(trials)).toHaveLength(2)
  })
  test.each([
    ['40P01', 409],
    ['40001', 409],
    ['55P03', 503],
    ['57014', 503],
    ['53300', 503],
    ['53100', 503],
  ])('what says %s is no fault of its row and ends the file', async (code, status) => {
    ended.length = 0
    const file = await xlsx([head, ['好', ''], [code, ''], ['23P01', '']])
    expect((await send(file, { dry: true })).status).toBe(status)
    expect((await send(file)).status).toBe(status)
    expect([ended, await count()]).toEqual([[code, code], 0])
  })
  test('nothing is tried out through a view', async () => {
    const logs = async () =>
      (await world.sql('select 1 from operation_logs where org_id = 3')).length
    const before = await logs()
    const through = { 'x-view-org': '3', 'content-type': 'multipart/form-data; boundary=b' }
    expect(
      (await world.send('super', '/imports/test-categories/marked', Buffer.from(''), through)).body,
    ).toMatchObject({ code: 403004 })
    expect(await logs()).toBe(before)
  })
  test('doubled in the file: both rows', async () => {
    const { body } = await send(await xlsx([head, ['茶', ''], ['水', ''], [' 茶', '']]))
    expect(body.errors).toEqual([
      { field: 'rows.2.name', message: '与第4行重复' },
      { field: 'rows.4.name', message: '与第2行重复' },
    ])
  })
})

describe('refused', () => {
  test.each([
    ['1,001 rows', () => xlsx([head, ...many(1001)]), '一次最多导入1000行'],
    ['no row', () => xlsx([head]), '文件中没有数据，一次最多导入1000行'],
    ['another head', () => xlsx([['姓名'], ['茶']]), '模板不正确'],
    [
      'a head twice',
      () =>
        xlsx([
          ['名称', '名称'],
          ['茶', '水'],
        ]),
      '模板不正确',
    ],
    ['without what is needed', () => xlsx([['电话'], ['13800138000']]), '模板不正确'],
    [
      'one head more',
      () =>
        xlsx([
          ['名称', '密码'],
          ['茶', 'x'],
        ]),
      '模板不正确',
    ],
    ['an empty sheet', () => xlsx([]), '模板不正确'],
  ] as const)('%s', async (_name, file, message) =>
    expect(await send(await file())).toMatchObject({ status: 400, body: { message } }),
  )
  test('no right, no kind, no token', async () => {
    const file = await xlsx([head, ['茶', '']])
    expect((await send(file, { user: 'reader' })).body.code).toBe(403001)
    expect((await world.as('reader')('GET', '/imports/test-categories')).body.code).toBe(403001)
    expect((await world.file('reader', '/imports/test-categories/template')).status).toBe(403)
    expect((await world.upload('operator', '/imports/nothing', file)).status).toBe(404)
    expect((await world.upload('nobody', '/imports/test-categories', file)).body.code).toBe(110001)
    expect(
      (await world.upload('operator', '/imports/test-categories?dryRun=maybe', file)).status,
    ).toBe(400)
    expect((await world.upload('operator', '/imports/test-categories?more=1', file)).status).toBe(
      400,
    )
  })
})

test('the template explains itself and can be imported', async () => {
  const { name, rows } = await world.file('operator', '/imports/test-categories/template')
  expect([name, rows]).toEqual(['测试分类.xlsx', [['名称*', '电话']]])
  expect(
    (
      await world.as('operator')('GET', '/imports/test-categories', undefined, {
        'accept-language': 'en',
      })
    ).body,
  ).toEqual({
    title: 'Test categories',
    most: 1000,
    columns: [
      {
        key: 'name',
        title: 'Name',
        required: true,
        example: '=Example',
        note: 'At most 30 characters',
      },
      { key: 'phone', title: 'Phone', required: false, example: '', note: '' },
    ],
  })
})
