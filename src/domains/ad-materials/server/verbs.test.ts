import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { film } from '../../../../test/support/films.ts'
import { openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { tellEnding } from './jobs.ts'

const codes = ['read', 'create', 'update', 'delete', 'review'].map((act) => `ad-material:${act}`)
let world: World
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
})
afterAll(() => world.close())

const boundary = 'xxBOUNDxx'
const form = (content: Buffer, extra = '') =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n${extra}--${boundary}--\r\n`),
  ])
const send = (content: Buffer, user = people.operator, extra?: string) =>
  world.raw(user, '/ad-materials/upload', form(content, extra), {
    'content-type': `multipart/form-data; boundary=${boundary}`,
  })
const picture = (background: string, width = 600, height = 400) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
/** Its head says so; nobody has to hold 20,000 x 20,000 pixels for it. */
async function huge(side: number): Promise<Buffer> {
  const bytes = await picture('#fff')
  bytes.writeUInt32BE(side, 16)
  bytes.writeUInt32BE(side, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}
const onDisk = async () =>
  (
    await readdir(path.join(world.app.files.folder, '..'), { recursive: true, withFileTypes: true })
  ).filter((found) => found.isFile()).length

let colour = 0
async function made(user: number, change: Record<string, unknown> = {}, content?: Buffer) {
  colour += 1
  const sent = await send(content ?? (await picture(`rgb(1,2,${colour})`)), user)
  expect([sent.status, sent.body.message ?? '']).toEqual([200, ''])
  return world.send(user, 'POST', '/ad-materials', {
    ...{ name: '国庆', file: sent.body.file },
    ...change,
  })
}

test('what is no picture and no film is refused, and leaves nothing', async () => {
  const good = await film()
  const cases: [string, Buffer, string][] = [
    ['a zip', Buffer.from('PK\u0003\u0004aaaa'), 'mediaType'],
    [
      'a zip that says it is one',
      Buffer.from('\u0000\u0000\u0000\u0018ftypPK\u0003\u0004'),
      'filmBroken mediaType',
    ],
    ['HEVC', await film({ codec: 'hevc' }), 'filmCodec'],
    ['20,000 wide', await film({ width: 20_000, height: 200 }), 'filmSize'],
    ['301 s', await film({ seconds: 301, noise: 10 }), 'filmLength'],
    ['its end cut off', good.subarray(0, good.length - 1500), 'filmBroken'],
    [
      '8 MiB and a byte',
      Buffer.concat([good, Buffer.alloc(8 * 1024 * 1024 + 1 - good.length)]),
      'mediaTooLarge',
    ],
    [
      'a picture of 3 MiB',
      Buffer.concat([await picture('#fff'), Buffer.alloc(3 * 1024 * 1024)]),
      'imageTooLarge',
    ],
    ['20,000 x 20,000 pixels', await huge(20_000), 'imagePixels'],
    ['nothing', Buffer.alloc(0), 'imageBroken mediaType'],
  ]
  const before = await onDisk()
  for (const [name, content, wrong] of cases) {
    const { status, body } = await send(content)
    expect(
      [name, status >= 400, wrong.includes(String(body.error).replace('files.', ''))],
      JSON.stringify(body),
    ).toEqual([name, true, true])
  }
  const two = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\nb\r\n`
  expect((await send(good, people.operator, two)).status).toBe(400)
  expect(await onDisk()).toBe(before)
}, 60_000)

test('a film is measured, kept as it is, and given in parts', async () => {
  const bytes = await film({ seconds: 14 })
  const { body } = await made(people.operator, {}, bytes)
  expect(body).toMatchObject({
    ...{ kind: 'VIDEO', width: 1280, height: 720, durationMs: 14_000, bytes: bytes.length },
    ...{ state: 'PENDING', refCount: 0, uploader: '员工3' },
  })
  const get = (range?: string) =>
    world.http.inject({
      url: `/${body.file}`,
      ...(range ? { headers: { range } } : {}),
    })
  const whole = await get()
  expect([whole.statusCode, whole.headers['content-type'], whole.rawPayload.equals(bytes)]).toEqual(
    [200, 'video/mp4', true],
  )
  const part = await get('bytes=100-199')
  expect([part.statusCode, part.headers['content-range']]).toEqual([
    206,
    `bytes 100-199/${bytes.length}`,
  ])
  expect(part.rawPayload.equals(bytes.subarray(100, 200))).toBe(true)
  expect((await get('bytes=-50')).rawPayload.equals(bytes.subarray(-50))).toBe(true)
  expect((await get(`bytes=${bytes.length}-`)).statusCode).toBe(416)
  for (const odd of ['bytes=5-2', 'bytes=a-b', 'bytes=0-1,3-4', 'items=0-1'])
    expect([odd, (await get(odd)).statusCode]).toEqual([odd, 200])
  const again = await send(bytes)
  const twice = await world.send(people.operator, 'POST', '/ad-materials', {
    ...{ name: '又一个', file: again.body.file },
  })
  expect(twice.body.errors[0]).toEqual({ field: 'file', message: '素材已存在' })
  // a creative of a film plays as long as the film
  const creative = await world.send(people.operator, 'POST', '/ad-creatives', {
    ...{ materialId: body.id, title: '创意', seconds: 3 },
  })
  expect(creative.body).toMatchObject({ seconds: 14, kind: 'VIDEO' })
})

test('who may see, own and review', async () => {
  expect((await made(people.platform)).body.state).toBe('APPROVED')
  const { body } = await made(people.operator)
  expect(body.state).toBe('PENDING')
  const url = `/ad-materials/${body.id}`
  const review = (user: number, change: object) =>
    world.send(user, 'POST', `${url}/review`, { version: 1, approve: true, ...change })
  expect((await review(people.operator, {})).body.error).toBe('adMaterials.ownReview')
  expect((await review(people.sibling, {})).status).toBe(404)
  expect((await review(people.agent, { approve: false })).body.errors[0].field).toBe('reason')
  expect((await review(people.agent, { version: 2 })).body.code).toBe(409001)
  expect((await review(people.agent, {})).body).toMatchObject({ state: 'APPROVED', version: 2 })
  expect((await review(people.agent, { version: 2 })).body.error).toBe('adMaterials.notPending')
  expect((await world.send(people.sibling, 'GET', url)).status).toBe(404)
  expect((await made(people.platform, { orgId: 6 })).body.errors[0].field).toBe('orgId')
  expect((await made(people.operator, { orgId: 4 })).status).toBe(404)
  // a file of somebody else
  const foreign = await send(await picture('#123456'), people.stranger)
  const taken = await world.send(people.operator, 'POST', '/ad-materials', {
    ...{ name: 'x', file: foreign.body.file },
  })
  expect(taken.body.errors[0].field).toBe('file')
  // a licence that changes is looked at again
  const edit = await world.send(people.operator, 'PUT', url, {
    ...{ version: 2, name: '药', tags: ['DRUG'] },
  })
  expect(edit.body.errors[0]).toEqual({ field: 'licenceNo', message: '请填写广告批文' })
  const licensed = await world.send(people.operator, 'PUT', url, {
    ...{ version: 2, name: '药', tags: ['DRUG'], licenceNo: '国药广审001' },
  })
  expect(licensed.body).toMatchObject({ state: 'PENDING', version: 3 })
  // by another than who asked for it, too
  const changed = await world.send(people.agent, 'PUT', url, {
    ...{ version: 3, name: '药', tags: ['DRUG'], licenceNo: '国药广审002' },
  })
  expect(changed.body).toMatchObject({ state: 'PENDING', version: 4 })
  const byAuthor = await review(people.agent, { version: 4 })
  expect(byAuthor.body.error).toBe('adMaterials.ownReview')
  expect((await review(people.platform, { version: 4 })).body.state).toBe('APPROVED')
})

test('what groups show stays; another file takes its place when it is approved', async () => {
  const { body: old } = await made(people.operator)
  const { body: creative } = await world.send(people.operator, 'POST', '/ad-creatives', {
    ...{ materialId: old.id, title: '创意', seconds: 9 },
  })
  await world.sql(
    `with g as (insert into program_groups (org_id, name, slot_kind) values (3, '组', 'FULL')
        returning id)
      insert into program_group_items (group_id, org_id, position, creative_id, seconds)
        select id, 3, 1, $1, 9 from g`,
    [creative.id],
  )
  const remove = (url: string, version: number) =>
    world.send(people.operator, 'DELETE', `${url}?version=${version}`)
  expect((await remove(`/ad-materials/${old.id}`, 1)).body.error).toBe('adMaterials.inUse')
  expect((await remove(`/ad-creatives/${creative.id}`, 1)).body.error).toBe('adMaterials.inUse')
  const used = await world.send(people.operator, 'GET', `/ad-materials/${old.id}/references`)
  expect(used.body.list).toMatchObject([{ groupName: '组', creativeTitle: '创意' }])
  const file = async () => {
    colour += 1
    return (await send(await picture(`rgb(9,9,${colour})`))).body.file
  }
  const replace = async (version: number) =>
    world.send(people.operator, 'POST', `/ad-materials/${old.id}/replace`, {
      ...{ version, file: await file() },
    })
  const made2 = await replace(1)
  expect(made2.body).toMatchObject({ state: 'PENDING', replacesName: '国庆', creativeCount: 0 })
  expect((await replace(2)).body.error).toBe('adMaterials.waits')
  const now = await world.send(people.agent, 'POST', `/ad-materials/${made2.body.id}/review`, {
    ...{ version: 1, approve: true },
  })
  expect(now.body).toMatchObject({ state: 'APPROVED', creativeCount: 1, refCount: 1 })
  const left = await world.send(people.operator, 'GET', `/ad-materials/${old.id}`)
  expect(left.body).toMatchObject({ creativeCount: 0, refCount: 0 })
  expect((await remove(`/ad-materials/${old.id}`, left.body.version)).body).toEqual({ ok: true })
})

test('people are told a week before the last day and when it is over, once each', async () => {
  const { body } = await made(people.operator, { validUntil: '2026-11-27' })
  const told = async (day: string) => {
    const before = await world.rows<{ n: number }>(`select count(*)::int as n from messages`)
    await tellEnding({ ...world.app, now: () => new Date(`${day}T23:00:00Z`) })
    const after = await world.rows<{ n: number }>(`select count(*)::int as n from messages`)
    return (after[0]?.n ?? 0) > (before[0]?.n ?? 0)
  }
  expect(body.validUntil).toBe('2026-11-27')
  expect([await told('2026-11-18'), await told('2026-11-21'), await told('2026-11-22')]).toEqual([
    false,
    true,
    false,
  ])
  expect([await told('2026-11-28'), await told('2026-11-29')]).toEqual([true, false])
})
