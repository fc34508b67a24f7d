import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { draft, later, openWorld, people, picture, start, type World } from './testWorld.ts'

let world: World
let roles: Map<string, number>
beforeAll(async () => {
  world = await openWorld()
  roles = new Map(
    (await world.sql<{ code: string; id: string }>('select code, id from roles')).map((r) => [
      r.code,
      Number(r.id),
    ]),
  )
  await world.sql(
    `insert into uploads (org_id, kind, mime, bytes, sha256, url)
      values (3, 'IMAGE', 'image/png', 10, 'x', $1)`,
    [picture],
  )
})
afterAll(() => world?.close())
beforeEach(async () => {
  world.clock.now = start
  await world.sql('delete from messages')
  await world.sql('delete from announcements')
  await world.sql('delete from notices')
})

const role = (code: string) => roles.get(code) as number
const made = async (
  who: 'super' | 'agent' | 'operator' | 'twin',
  change: Record<string, unknown> = {},
) => {
  const { status, body } = await world.as(who)('create', draft(change))
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body
}
const published = async (
  who: 'super' | 'agent' | 'operator',
  change: Record<string, unknown> = {},
) => {
  const { id, version } = await made(who, change)
  const done = await world.as(who)('publish', { id, version })
  expect([done.status, done.body.state]).toEqual([200, 'PUBLISHED'])
  await world.settle()
  return done.body
}
const receivers = async (id: number) =>
  (
    await world.sql<{ username: string }>(
      'select u.username from messages m join users u on u.id = m.user_id where m.notice_id = $1 order by u.id',
      [id],
    )
  ).map((m) => m.username)
const inbox = async (who: keyof typeof people, state = 'unread') =>
  (await world.as(who)('inbox', { state })).body.list as { id: number; title: string }[]

describe('whom it reaches', () => {
  it.each([
    [
      'everybody below the author',
      'agent',
      { toAll: true },
      ['agent', 'operator', 'twin', 'replenisher', 'sibling'],
    ],
    [
      'everybody of the platform',
      'super',
      { toAll: true },
      ['super', 'agent', 'operator', 'twin', 'replenisher', 'sibling'],
    ],
    [
      'one organisation alone',
      'super',
      { toAll: false, orgIds: [2], withSubtree: false },
      ['agent'],
    ],
    [
      'one organisation and those below',
      'super',
      { toAll: false, orgIds: [3], withSubtree: true },
      ['operator', 'twin', 'replenisher'],
    ],
    ['people', 'agent', { toAll: false, userIds: [people.sibling, people.off] }, ['sibling']],
  ] as const)('%s', async (_, who, targets, wanted) => {
    const count = await world.as(who)('audience', targets)
    expect(count.body).toEqual({ count: wanted.length })
    const { id } = await published(who, targets)
    expect(await receivers(id)).toEqual(wanted)
    expect((await world.as(who)('get', { id })).body).toMatchObject({
      targetCount: wanted.length,
      readCount: 0,
    })
  })
  it('roles, inside the own tree, together with people', async () => {
    const targets = { toAll: false, roleIds: [role('ROLE_RTU_SP')], userIds: [people.replenisher] }
    expect((await world.as('operator')('audience', targets)).body.count).toBe(3)
    const { id } = await published('operator', targets)
    expect(await receivers(id)).toEqual(['operator', 'twin', 'replenisher'])
  })
  it.each([
    ['organisation', { orgIds: [4] }],
    ['organisation above', { orgIds: [2] }],
    ['person', { userIds: [people.sibling] }],
    ['nobody', { userIds: [987_654] }],
    ['role', { roleIds: [987_654] }],
  ])('a foreign %s is like none', async (_, targets) => {
    const { status, body } = await world.as('operator')(
      'create',
      draft({ toAll: false, ...targets }),
    )
    expect([status, body.code]).toEqual([404, 404001])
    expect((await world.as('operator')('audience', { toAll: false, ...targets })).body).toEqual({
      count: 0,
    })
  })
  it('hundreds of organisations for thousands of people cost what both have, not their product', async () => {
    await world.sql(
      `insert into organisations (id, parent_id, path, kind, name)
        select 50000 + n, 4, ('1.2.4.' || 50000 + n)::ltree, 'OPERATOR', '众-' || n
        from generate_series(1, 200) n`,
    )
    await world.sql(
      `insert into users (org_id, username, password_hash, real_name)
        select 4, 'many' || n, '', 'x' from generate_series(1, 4000) n`,
    )
    const orgIds = Array.from({ length: 200 }, (_, n) => 50_001 + n)
    const began = performance.now()
    const targets = { toAll: false, orgIds, withSubtree: true }
    expect((await world.as('agent')('audience', targets)).body).toEqual({ count: 0 })
    const { id } = await published('agent', targets)
    expect(await receivers(id)).toEqual([])
    expect(performance.now() - began).toBeLessThan(1200)
    await world.sql(`delete from user_roles where user_id in
      (select id from users where username like 'many%')`)
    await world.sql(`delete from users where username like 'many%'`)
  })
  it('two batches and a crash between them: every reader once, and as many rows as counted', async () => {
    const { fanOut } = await import('./fanout.ts')
    const { id, version } = await made('agent')
    await world.as('agent')('publish', { id, version })
    expect(await fanOut(world.app, 2)).toBe(2)
    expect(await receivers(id)).toEqual(['agent', 'operator'])
    // killed before its commit: the transaction is gone, the cursor is where it was
    await expect(
      world.system(async ({ db }) => {
        await db.updateTable('notices').set({ fan_cursor: 999 }).where('id', '=', id).execute()
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    // and a worker that lost its cursor writes nobody twice
    await world.sql('update notices set fan_cursor = 0 where id = $1', [id])
    await Promise.all([fanOut(world.app, 2), fanOut(world.app, 2)])
    await world.settle()
    expect(await receivers(id)).toEqual(['agent', 'operator', 'twin', 'replenisher', 'sibling'])
    expect((await world.as('agent')('get', { id })).body.targetCount).toBe(5)
  })
})

describe('writing', () => {
  it('cleans what is written and keeps the beginning as text', async () => {
    const notice = await made('operator', {
      content: '<h1>升级</h1><p onclick="x()">今晚</p><script>alert(1)</script>',
      images: [picture],
    })
    expect(notice).toMatchObject({
      content: '<h2>升级</h2><p>今晚</p>',
      img: picture,
      state: 'DRAFT',
      author: 'operator',
      readCount: 0,
      targetCount: 0,
    })
    const [row] = await world.sql<{ excerpt: string }>(
      'select excerpt from notices where id = $1',
      [notice.id],
    )
    expect(row?.excerpt).toBe('升级 今晚')
  })
  it.each([
    [{ content: '<script>x</script>' }, 400, 'content', '公告内容不能为空'],
    [{ publishAt: start.toISOString() }, 400, 'publishAt', '发布时间必须晚于当前时间'],
    [{ expireAt: start.toISOString() }, 400, 'expireAt', '结束时间必须晚于开始时间'],
    [{ toAll: false }, 400, 'toAll', '请选择发布范围'],
  ])('%o is refused', async (change, status, field, message) => {
    const answer = await world.as('operator')('create', draft(change))
    expect([answer.status, answer.body.errors[0]]).toEqual([status, { field, message }])
  })
  it('pictures have to be uploaded here', async () => {
    for (const change of [
      { images: ['files/99999999-0000-4000-8000-000000000000.png'] },
      { content: '<p>x<img src="files/99999999-0000-4000-8000-000000000000.png"></p>' },
    ])
      expect((await world.as('operator')('create', draft(change))).body.code).toBe(404001)
    // another organisation's picture is like none
    expect((await world.as('agent')('create', draft({ images: [picture] }))).status).toBe(200)
    const { body } = await world.as('super')('create', draft({ toAll: false, orgIds: [4] }))
    expect((await world.as('operator')('get', { id: body.id })).status).toBe(404)
  })
  it('a draft changes, a stale one does not, a published one never', async () => {
    const { id, version } = await made('operator')
    const put = (v: number, title: string) =>
      world.as('operator')('update', {
        id,
        version: v,
        ...draft({ title, toAll: false, roleIds: [role('ROLE_RTU_SP')] }),
      })
    const changed = await put(version, '改')
    expect(changed.body).toMatchObject({
      title: '改',
      roleCount: 1,
      toAll: false,
      version: version + 1,
    })
    expect((await put(version, '旧')).body.code).toBe(409001)
    const done = await world.as('operator')('publish', { id, version: version + 1 })
    expect((await put(done.body.version, '晚')).body.message).toBe('公告已发布，不能修改')
    expect(
      (await world.as('operator')('remove', { id, version: done.body.version })).body.message,
    ).toBe('仅草稿可以删除')
    expect((await world.as('sibling')('update', { id, version: 1, ...draft() })).status).toBe(404)
  })
  it('a draft is deleted with its targets', async () => {
    const { id, version } = await made('operator')
    expect((await world.as('operator')('remove', { id, version })).body).toEqual({ ok: true })
    expect((await world.as('operator')('remove', { id, version })).status).toBe(404)
    expect(await world.sql('select 1 from notice_targets where notice_id = $1', [id])).toEqual([])
  })
})

describe('its time', () => {
  it('waits, comes, and ends by itself', async () => {
    const { id, version } = await made('operator', {
      publishAt: later(world.clock, 2),
      expireAt: later(world.clock, 4),
    })
    expect((await world.as('operator')('publish', { id, version })).body).toMatchObject({
      state: 'SCHEDULED',
    })
    await world.settle()
    expect(await receivers(id)).toEqual([])
    world.clock.now = new Date(start.getTime() + 2 * 3_600_000)
    await world.settle()
    expect((await world.as('operator')('get', { id })).body).toMatchObject({
      state: 'PUBLISHED',
      targetCount: 3,
    })
    expect(await inbox('twin')).toHaveLength(1)
    world.clock.now = new Date(start.getTime() + 4 * 3_600_000)
    // before any job ran
    expect(await inbox('twin')).toHaveLength(0)
    expect((await world.as('twin')('unread')).body).toEqual({ count: 0, popups: [] })
    const { expireDue, sweepEnded } = await import('./fanout.ts')
    await expireDue(world.app)
    while ((await sweepEnded(world.app, 2)) > 0);
    expect((await world.as('operator')('get', { id })).body.state).toBe('EXPIRED')
    expect(
      await world.sql('select 1 from messages where notice_id = $1 and hidden_at is null', [id]),
    ).toEqual([])
    expect((await world.as('twin')('unread')).body.count).toBe(0)
  })
  it('of somebody who may not sign in any more it waits as a draft', async () => {
    const { id, version } = await made('twin', { publishAt: later(world.clock, 1) })
    expect((await world.as('twin')('publish', { id, version })).body).toMatchObject({
      state: 'SCHEDULED',
    })
    await world.sql(`update users set status = 'DISABLED' where username = 'twin'`)
    world.clock.now = new Date(world.clock.now.getTime() + 2 * 3_600_000)
    await world.settle()
    expect((await world.as('operator')('get', { id })).body.state).toBe('DRAFT')
    await world.sql(`update users set status = 'ENABLED' where username = 'twin'`)
  })
  it('a draft whose time has passed is not published by mistake, but immediately', async () => {
    const { id, version } = await made('operator', { publishAt: later(world.clock, 1) })
    world.clock.now = new Date(start.getTime() + 2 * 3_600_000)
    const late = await world.as('operator')('publish', { id, version })
    expect([late.status, late.body.errors[0]]).toEqual([
      400,
      { field: 'publishAt', message: '发布时间必须晚于当前时间' },
    ])
    expect(
      (await world.as('operator')('publish', { id, version, immediately: true })).body,
    ).toMatchObject({
      state: 'PUBLISHED',
      publishTime: world.clock.now.toISOString(),
    })
  })
  it('one that waits becomes a draft again when it is changed', async () => {
    const { id, version } = await made('operator', { publishAt: later(world.clock, 1) })
    const waiting = await world.as('operator')('publish', { id, version })
    expect(
      (await world.as('operator')('update', { id, version: waiting.body.version, ...draft() }))
        .body,
    ).toMatchObject({ state: 'DRAFT', publishAt: null })
  })
})

describe('reading', () => {
  it('once, counted at the notice, one way', async () => {
    const { id } = await published('operator')
    const [first] = await inbox('twin')
    const mark = () => world.as('twin')('markRead', { ids: [first?.id] })
    expect((await world.as('twin')('unread')).body.count).toBe(1)
    const twice = await Promise.all([mark(), mark(), mark()])
    expect(twice.map((a) => a.body.marked).sort()).toEqual([0, 0, 1])
    expect((await world.as('operator')('get', { id })).body).toMatchObject({
      readCount: 1,
      targetCount: 3,
    })
    expect([(await inbox('twin')).length, (await inbox('twin', 'read')).length]).toEqual([0, 1])
    const readers = async (state: string) =>
      (await world.as('operator')('readers', { id, state })).body.list
        .map((m: { userName: string }) => m.userName)
        .sort()
    expect([await readers('read'), await readers('unread')]).toEqual([
      ['twin'],
      ['operator', 'replenisher'],
    ])
  })
  it('all at once, over several notices and with the messages of the system', async () => {
    const ids = [
      (await published('operator')).id,
      (await published('agent')).id,
      (await published('super')).id,
    ]
    await world.system(async (ctx) => {
      const { notify } = await import('./notify.ts')
      expect(
        await notify(ctx, {
          userIds: [people.twin],
          kind: 'JOB',
          title: '导出已完成\u001fExport finished',
          link: '/job-list',
        }),
      ).toBe(1)
    })
    const all = await Promise.all(
      ['twin', 'operator', 'replenisher', 'twin'].map((who) =>
        world.as(who as 'twin')('markRead', { all: true }),
      ),
    )
    expect(all.map((a) => a.status)).toEqual([200, 200, 200, 200])
    const rows = await world.sql<{ id: string; read_count: number; n: number }>(
      `select n.id, n.read_count, count(m.read_at)::int as n from notices n
        join messages m on m.notice_id = n.id group by n.id order by n.id`,
    )
    expect(rows.map((r) => [Number(r.id), r.read_count, r.n])).toEqual(ids.map((id) => [id, 3, 3]))
  })
  it("somebody else's message is like none", async () => {
    await published('operator')
    const [own] = await inbox('twin')
    const foreign = { id: own?.id }
    for (const key of ['message', 'confirm', 'hide'] as const)
      expect([key, (await world.as('operator')(key, foreign)).status]).toEqual([key, 404])
    expect((await world.as('operator')('markRead', { ids: [own?.id] })).body.code).toBe(404001)
    expect((await world.as('super')('message', foreign)).status).toBe(404)
    expect((await world.as('twin')('message', foreign)).body).toMatchObject({
      html: '<p>今晚 <strong>22:00</strong> 升级</p>',
      content: '今晚 22:00 升级',
      sender: '机构3',
      link: '',
    })
  })
  it.each([{}, { ids: [], all: true }, { ids: [1], all: true }, { all: false }])(
    'marks either some or all: %o',
    async (input) => expect((await world.as('twin')('markRead', input)).status).toBe(400),
  )
  it('a message is taken off the own list only', async () => {
    await published('operator')
    const [own] = await inbox('twin')
    expect((await world.as('twin')('hide', { id: own?.id })).body).toEqual({ ok: true })
    expect([
      (await inbox('twin')).length,
      (await inbox('operator')).length,
      (await world.as('twin')('unread')).body.count,
    ]).toEqual([0, 1, 0])
    expect((await world.as('twin')('hide', { id: own?.id })).status).toBe(404)
  })
  it('what must be confirmed pops up until it is', async () => {
    const { id } = await published('operator', { mustConfirm: true })
    const [own] = await inbox('twin')
    const popups = async () => (await world.as('twin')('unread')).body.popups
    expect((await world.as('twin')('hide', { id: own?.id })).body.message).toBe(
      '请先确认阅读该公告',
    )
    await world.as('twin')('markRead', { all: true })
    expect(await popups()).toEqual([own?.id])
    const both = await Promise.all([1, 2].map(() => world.as('twin')('confirm', { id: own?.id })))
    expect(both.map((a) => a.status)).toEqual([200, 200])
    expect(await popups()).toEqual([])
    expect((await world.as('operator')('get', { id })).body.readCount).toBe(1)
    expect((await world.as('twin')('hide', { id: own?.id })).status).toBe(200)
  })
  it('a pop-up shows until it is read, and again when readers are reminded', async () => {
    const loud = await published('operator', { channels: ['POPUP'] })
    expect(loud.channels).toEqual(['MESSAGE', 'POPUP'])
    const quiet = await published('operator')
    expect((await world.as('twin')('unread')).body.popups).toHaveLength(1)
    await world.as('twin')('markRead', { ids: [(await inbox('twin')).at(-1)?.id] })
    const remind = () => world.as('operator')('remind', { id: quiet.id })
    const both = await Promise.all([remind(), remind()])
    expect(both.map((a) => a.status).sort()).toEqual([200, expect.toBeOneOf([409, 422])])
    expect((await world.as('twin')('unread')).body.popups).toHaveLength(1)
    expect((await remind()).body.message).toBe('24小时内只能提醒一次')
    world.clock.now = new Date(start.getTime() + 24 * 3_600_000)
    expect((await remind()).status).toBe(200)
  })
})

describe('withdrawing', () => {
  it('hides it at once from both tabs and the count', async () => {
    const { id } = await published('agent')
    await world.as('twin')('markRead', { all: true })
    expect([(await inbox('twin', 'read')).length, (await inbox('sibling')).length]).toEqual([1, 1])
    const done = await world.as('agent')('withdraw', { id })
    expect([done.status, done.body.state, done.body.can]).toMatchObject([
      200,
      'WITHDRAWN',
      { withdraw: false, update: false, publish: false },
    ])
    expect([
      (await inbox('twin', 'read')).length,
      (await inbox('sibling')).length,
      (await world.as('sibling')('unread')).body.count,
    ]).toEqual([0, 0, 0])
    expect((await world.as('agent')('withdraw', { id })).body.message).toBe('公告不在发布中')
  })
  it('together with publishing and the loop: the end is one of two, never half', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, version } = await made('agent')
      const [publish, withdraw] = await Promise.all([
        world.as('agent')('publish', { id, version }),
        world.as('agent')('withdraw', { id }),
        world.settle(),
      ])
      expect(publish.status).toBe(200)
      expect([200, 409, 422]).toContain(withdraw.status)
      await world.settle()
      const [row] = await world.sql<{ state: string; target_count: number; n: number }>(
        'select n.state, n.target_count, (select count(*)::int from messages m where m.notice_id = n.id) as n from notices n where id = $1',
        [id],
      )
      expect(row?.state).toBe(withdraw.status === 200 ? 'WITHDRAWN' : 'PUBLISHED')
      expect(row?.n).toBe(row?.target_count)
      expect((await inbox('sibling')).some((m) => m.title === '系统升级')).toBe(
        withdraw.status !== 200,
      )
      await world.as('agent')('withdraw', { id })
    }
  })
  it('in the middle of the fan-out ends it', async () => {
    const { fanOut } = await import('./fanout.ts')
    const { id, version } = await made('agent')
    await world.as('agent')('publish', { id, version })
    await fanOut(world.app, 2)
    expect((await world.as('agent')('withdraw', { id })).status).toBe(200)
    await world.settle()
    expect(await receivers(id)).toEqual(['agent', 'operator'])
    expect((await world.as('agent')('get', { id })).body.targetCount).toBe(2)
  })
  it('published twice at once happens once', async () => {
    const { id, version } = await made('agent')
    const all = await Promise.all(
      [1, 2, 3].map(() => world.as('agent')('publish', { id, version })),
    )
    expect(all.map((a) => a.status).filter((status) => status === 200)).toHaveLength(1)
    expect(await world.sql('select 1 from announcements where notice_id = $1', [id])).toHaveLength(
      1,
    )
  })
})

describe('the system has something to say', () => {
  const say = (note: Record<string, unknown>) =>
    world.system(async (ctx) => {
      const { notify } = await import('./notify.ts')
      return notify(ctx, {
        kind: 'DEVICE_ALARM',
        title: '设备故障\u001fDevice fault',
        body: '电机\u001fMotor',
        link: '/device/device-list?detail=1',
        ...note,
      } as never)
    })
  it('to whoever holds a permission in an organisation, in his language', async () => {
    expect(await say({ permission: 'alarm:read', orgId: 3 })).toBe(3)
    expect(await say({ permission: 'order:refund', orgId: 3 })).toBe(2)
    const list = await world.call(
      (await import('../contract.ts')).notices.inbox,
      {},
      { token: world.tokens.replenisher, headers: { 'accept-language': 'en' } },
    )
    expect(list.body.list).toMatchObject([
      { title: 'Device fault', content: 'Motor', kind: 'DEVICE_ALARM' },
    ])
    expect(await inbox('replenisher')).toMatchObject([{ title: '设备故障', content: '电机' }])
    expect(await inbox('sibling')).toEqual([])
  })
  it('keeps quiet for a while about what nobody has read', async () => {
    const note = { userIds: [people.twin], quietHours: 4 }
    expect([
      await say(note),
      await say(note),
      await say({ ...note, link: '/device/device-list?detail=2' }),
    ]).toEqual([1, 0, 1])
    await world.as('twin')('markRead', { all: true })
    expect(await say(note)).toBe(1)
    world.clock.now = new Date(start.getTime() + 5 * 3_600_000)
    expect(await say(note)).toBe(1)
  })
})

describe('the bell', () => {
  it('counts up to 100, in one index', async () => {
    await world.sql(
      `insert into messages (org_id, user_id, kind, title_zh, title_en)
        select 3, $1, 'SYSTEM', 'x', 'x' from generate_series(1, 300)`,
      [people.twin],
    )
    await world.sql(
      `insert into messages (org_id, user_id, kind, title_zh, title_en, read_at)
        select 3, u, 'SYSTEM', 'x', 'x', now()
        from generate_series(1, 5000), unnest($1::bigint[]) u`,
      [[people.twin, people.replenisher]],
    )
    expect((await world.as('twin')('unread')).body).toEqual({ count: 100, popups: [] })
    await world.sql('vacuum analyze messages')
    const plan = await world.app.database.read(
      { all: false, orgs: [3], ancestors: [1, 2], devices: null, watched: null },
      async (db) => {
        const { sql } = await import('kysely')
        const { rows } = await sql<Record<string, string>>`explain select count(*)
          from (select 1 from messages m
            where m.org_id = any('{3}'::bigint[]) and m.user_id = ${people.twin}
              and m.hidden_at is null
        and m.read_at is null and (m.notice_id is null
          or m.notice_id <> all (array(select e.notice_id from announcements e
            where e.until_at <= now() and e.swept_at is null))) limit 100) x`.execute(db)
        return rows.map((row) => row['QUERY PLAN']).join('\n')
      },
    )
    expect(plan).toMatch(/(using|on) messages_unread/)
    expect(plan).not.toContain('Seq Scan on messages')
  })
})
