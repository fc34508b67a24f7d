import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { deflateSync } from 'node:zlib'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemScope } from '../../../server/database.ts'
import { openWorld, people, type World } from '../../products/server/testWorld.ts'
import { missingPictures } from './pictures.ts'
import { forgetSmaller } from './smaller.ts'
import { sweepPictures } from './unused.ts'

let world: World
let jpg: Buffer
let png: Buffer
const mib2 = 2 * 1024 * 1024

beforeAll(async () => {
  world = await openWorld()
  const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: '#c83232' } })
  jpg = await picture.clone().jpeg().toBuffer()
  png = await picture.clone().png().toBuffer()
})
afterAll(() => world.close())

const boundary = 'xxBOUNDxx'
type Part = { name?: string; filename?: string; type?: string; content: Buffer | string }
const form = (...parts: Part[]) =>
  Buffer.concat([
    ...parts.flatMap(({ name = 'file', filename, type, content }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` }
const send = (
  payload: Buffer,
  headers: Record<string, string> = multipart,
  user = people.operator,
) => world.raw(user, '/uploads/images', payload, headers)
const sendFile = (content: Buffer, filename = 'a.jpg', user?: number) =>
  send(form({ filename, type: 'image/jpeg', content }), multipart, user)
const stored = async (url: string) =>
  buffer(createReadStream(path.join(world.app.files.folder, url.slice(6, 8), url.slice(6))))
const count = async () =>
  Number((await world.rows<{ n: string }>('select count(*) as n from uploads'))[0]?.n)
const filesOnDisk = async () =>
  (
    await readdir(world.app.files.folder, { recursive: true, withFileTypes: true }).catch(() => [])
  ).filter((f) => f.isFile()).length

const crc = (bytes: Buffer) => {
  let c = ~0
  for (const byte of bytes) {
    c ^= byte
    for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0)
  }
  return ~c >>> 0
}
const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(8 + body.length)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc(body), 4 + body.length)
  return out
}
/** A png of any size from almost no bytes. */
const bomb = (width: number, height: number) => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.writeUInt8(1, 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(Math.ceil(width / 8 + 1) * Math.min(height, 9000)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

describe('what is refused', () => {
  const bad: [
    name: string,
    make: () => Buffer | Promise<Buffer>,
    status: number,
    message: string,
  ][] = [
    [
      '2 MiB and a byte',
      () => Buffer.concat([jpg, Buffer.alloc(mib2 + 1 - jpg.length)]),
      413,
      '图片不能超过2M',
    ],
    ['5 MiB', () => Buffer.concat([jpg, Buffer.alloc(5 * 1024 * 1024)]), 413, '图片不能超过2M'],
    ['nothing', () => Buffer.alloc(0), 400, '图片已损坏，无法读取'],
    ['half a jpg', () => jpg.subarray(0, Math.floor(jpg.length / 2)), 400, '图片已损坏，无法读取'],
    ['half a png', () => png.subarray(0, Math.floor(png.length / 2)), 400, '图片已损坏，无法读取'],
    ['three magic bytes', () => Buffer.from([0xff, 0xd8, 0xff]), 400, '图片已损坏，无法读取'],
    [
      'png magic and noise',
      () => Buffer.concat([png.subarray(0, 8), Buffer.alloc(500, 7)]),
      400,
      '图片已损坏，无法读取',
    ],
    [
      'jpg with a broken middle',
      () => {
        const b = Buffer.from(jpg)
        b.fill(0xff, 200, 420)
        return b
      },
      400,
      '图片已损坏，无法读取',
    ],
    ['gif', () => sharp(jpg).gif().toBuffer(), 415, '只支持jpg或png格式'],
    ['webp', () => sharp(jpg).webp().toBuffer(), 415, '只支持jpg或png格式'],
    ['tiff', () => sharp(jpg).tiff().toBuffer(), 415, '只支持jpg或png格式'],
    ['avif', () => sharp(jpg).avif({ effort: 0 }).toBuffer(), 415, '只支持jpg或png格式'],
    [
      'svg',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      415,
      '只支持jpg或png格式',
    ],
    [
      'html',
      () => Buffer.from('<!doctype html><script>alert(1)</script>'),
      415,
      '只支持jpg或png格式',
    ],
    ['exe', () => Buffer.concat([Buffer.from('MZ'), Buffer.alloc(300)]), 415, '只支持jpg或png格式'],
    ['pdf', () => Buffer.from('%PDF-1.7\n%âãÏÓ'), 415, '只支持jpg或png格式'],
    ['zip', () => Buffer.from('PK\u0003\u0004aaaa'), 415, '只支持jpg或png格式'],
    [
      'text before a jpg',
      () => Buffer.concat([Buffer.from('hello'), jpg]),
      415,
      '只支持jpg或png格式',
    ],
    ['60,000 x 60,000 pixels', () => bomb(60_000, 60_000), 400, '图片尺寸过大，不能超过2500万像素'],
    ['8,000 x 8,000 pixels', () => bomb(8_000, 8_000), 400, '图片尺寸过大，不能超过2500万像素'],
    [
      'png without data',
      () => Buffer.concat([png.subarray(0, 33), chunk('IEND', Buffer.alloc(0))]),
      400,
      '图片已损坏，无法读取',
    ],
  ]
  test.each(bad)('%s', async (_name, make, status, message) => {
    const before = [await count(), await filesOnDisk()]
    const answer = await sendFile(await make())
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect(Math.floor(answer.body.code / 1000)).toBe(status)
    expect([await count(), await filesOnDisk()]).toEqual(before)
  })

  test.each([
    [
      'two files',
      () => form({ filename: 'a.jpg', content: jpg }, { filename: 'b.jpg', content: jpg }),
      400,
    ],
    [
      'three files',
      () =>
        form(
          { filename: 'a.jpg', content: jpg },
          { filename: 'b.jpg', content: jpg },
          { filename: 'c.jpg', content: jpg },
        ),
      400,
    ],
    ['another field name', () => form({ name: 'image', filename: 'a.jpg', content: jpg }), 400],
    [
      'a text field beside',
      () => form({ name: 'orgId', content: '4' }, { filename: 'a.jpg', content: jpg }),
      400,
    ],
    ['no parts', () => form(), 400],
    ['text instead of a file', () => form({ content: 'x' }), 400],
    ['a form that stops', () => form({ filename: 'a.jpg', content: jpg }).subarray(0, 250), 400],
    ['an empty body', () => Buffer.alloc(0), 400],
    ['field __proto__', () => form({ name: '__proto__', filename: 'a.jpg', content: jpg }), 400],
  ] as const)('%s', async (_name, make, status) => {
    const before = await count()
    const answer = await send(make())
    expect([answer.status, answer.body.error]).toEqual([status, 'files.noFile'])
    expect(await count()).toBe(before)
  })

  test('no boundary, no form, no permission, no session', async () => {
    const whole = form({ filename: 'a.jpg', content: jpg })
    expect((await send(whole, { 'content-type': 'multipart/form-data' })).status).toBe(400)
    expect(
      (await send(whole, { 'content-type': 'multipart/form-data; boundary=other' })).status,
    ).toBe(400)
    expect((await send(Buffer.from('{}'), { 'content-type': 'application/json' })).status).toBe(415)
    expect((await send(jpg, { 'content-type': 'image/jpeg' })).status).toBe(415)
    expect((await sendFile(jpg, 'a.jpg', people.reader)).body.code).toBe(403001)
    const own = form({ filename: 'a.jpg', type: 'image/jpeg', content: jpg })
    const face = await world.raw(people.reader, '/me/picture', own, multipart)
    expect(face.body.url).toMatch(/^files\//)
    expect((await sendFile(jpg, 'a.jpg', 77)).body.code).toBe(110001)
  })
})

describe('what is kept', () => {
  test.each([
    ['jpg', () => jpg],
    ['png', () => png],
  ] as const)('a %s, whatever its name says', async (extension, bytes) => {
    const { status, body } = await sendFile(bytes(), '../../etc/passwd\u0000.exe')
    expect(status).toBe(200)
    expect(body.url).toMatch(new RegExp(`^files/[0-9a-f-]{36}\\.${extension}$`))
    const kept = await stored(body.url)
    expect(await sharp(kept).metadata()).toMatchObject({
      format: extension === 'jpg' ? 'jpeg' : 'png',
      width: 300,
      height: 200,
    })
    expect(
      await world.rows('select org_id, user_id, kind, mime, bytes from uploads where url = $1', [
        body.url,
      ]),
    ).toEqual([
      {
        org_id: 3,
        user_id: 903,
        kind: 'IMAGE',
        mime: extension === 'jpg' ? 'image/jpeg' : 'image/png',
        bytes: kept.length,
      },
    ])
  })
  test('exactly 2 MiB', async () =>
    expect((await sendFile(Buffer.concat([jpg, Buffer.alloc(mib2 - jpg.length)]))).status).toBe(
      200,
    ))
  test('no GPS, no text, no tail; upright', async () => {
    const withMeta = await sharp(jpg)
      .withExif({
        IFD0: { Copyright: 'SECRETNAME' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '22/1 32/1 0/1' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect((await sharp(withMeta).metadata()).exif).toBeDefined()
    const { body } = await sendFile(
      Buffer.concat([withMeta, Buffer.from('<script>alert("TAIL")</script>PK\u0003\u0004')]),
    )
    const kept = await stored(body.url)
    const found = await sharp(kept).metadata()
    expect([
      found.width,
      found.height,
      found.exif,
      found.xmp,
      found.icc,
      found.orientation,
    ]).toEqual([200, 300, undefined, undefined, undefined, undefined])
    expect(kept.includes('SECRETNAME') || kept.includes('TAIL') || kept.includes('GPS')).toBe(false)
  })
  test('png text chunks and tail are gone', async () => {
    const end = png.length - 12
    const { body } = await sendFile(
      Buffer.concat([
        png.subarray(0, end),
        chunk('tEXt', Buffer.from('Comment\0SECRETNAME')),
        png.subarray(end),
        Buffer.from('TAILTAIL'),
      ]),
    )
    expect((await stored(body.url)).includes('SECRETNAME')).toBe(false)
    expect((await stored(body.url)).includes('TAILTAIL')).toBe(false)
  })
  test('at most 2,000 px a side, transparency stays', async () => {
    const wide = await sharp({
      create: {
        width: 5000,
        height: 1000,
        channels: 4,
        background: { r: 0, g: 0, b: 0, alpha: 0.5 },
      },
    })
      .png()
      .toBuffer()
    expect(await sharp(await stored((await sendFile(wide)).body.url)).metadata()).toMatchObject({
      width: 2000,
      height: 400,
      hasAlpha: true,
    })
  })
  test('noise that would grow stays under the limit', async () => {
    const noise = Buffer.from(
      Array.from({ length: 1200 * 1200 * 3 }, (_, i) => (i * 2_654_435_761) >>> 24),
    )
    const grainy = await sharp(noise, { raw: { width: 1200, height: 1200, channels: 3 } })
      .jpeg({ quality: 90 })
      .toBuffer()
    expect(grainy.length).toBeLessThan(mib2)
    expect((await stored((await sendFile(grainy)).body.url)).length).toBeLessThanOrEqual(mib2)
  })
  test('twenty at once', async () =>
    expect(
      (await Promise.all(Array.from({ length: 20 }, () => sendFile(jpg)))).map((a) => a.status),
    ).toEqual(Array(20).fill(200)))
})

describe('as wide as it is shown', () => {
  test('webp for who takes it, jpg for the others, made once, gone with the picture', async () => {
    const noise = await sharp({
      create: {
        width: 1500,
        height: 1500,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .jpeg({ quality: 60 })
      .toBuffer()
    const { url } = (await sendFile(noise)).body
    const get = async (query: string, accept = 'image/*') => {
      const { statusCode, headers, rawPayload } = await world.http.inject({
        url: `/${url}${query}`,
        headers: { accept },
      })
      expect([statusCode, headers['cache-control']]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ])
      const { width, format } = await sharp(rawPayload).metadata()
      return [headers['content-type'], headers.vary, width, format]
    }
    expect(await get('?w=375', 'image/avif,image/webp,*/*')).toEqual([
      'image/webp',
      'accept',
      375,
      'webp',
    ])
    expect(await get('?w=750')).toEqual(['image/jpeg', 'accept', 750, 'jpeg'])
    for (const wrong of ['', '?w=374', '?w=1e9', '?w=375&w=750', '?w=x'])
      expect((await get(wrong)).slice(2)).toEqual([1500, 'jpeg'])
    const made = path.join(world.app.files.folder, '../smaller', url.slice(6, 8))
    const kept = async () => (await readdir(made)).filter((name) => name.startsWith(url.slice(6)))
    expect((await kept()).length).toBe(2)
    await forgetSmaller(world.app, url.slice(6))
    expect(await kept()).toEqual([])
    const none = `/files/00000000-0000-4000-8000-000000000000.jpg?w=375`
    expect((await world.http.inject(none)).statusCode).toBe(404)
  })
})

describe('how much a day', () => {
  const others = (n: number, bytes: number, orgId = 3) =>
    world.rows(
      `insert into uploads (org_id, kind, mime, bytes, sha256, url, created_at)
       select $3, 'IMAGE', 'image/png', $2, '', 'files/' || gen_random_uuid() || '.png', $4
       from generate_series(1, $1)`,
      [n, bytes, orgId, world.app.now()],
    )
  const empty = () => world.rows('delete from uploads')
  test('a thousand pictures of a tenant, also when they come at once; nothing of what is over stays', async () => {
    await empty()
    await others(1000, 1, people.stranger)
    await others(1000, 1, 1)
    await others(500, 1, people.sibling)
    await others(497, 1)
    const before = await filesOnDisk()
    const answers = await Promise.all(Array.from({ length: 6 }, () => sendFile(jpg)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429])
    expect(answers.find(({ status }) => status === 429)?.body.error).toBe('files.tooManyToday')
    expect((await filesOnDisk()) - before).toBe(3)
    await world.rows("update uploads set created_at = created_at - interval '1 day'")
    expect((await sendFile(jpg)).status, 'yesterday’s count for yesterday').toBe(200)
  })
  test('500 MiB of a tenant', async () => {
    await empty()
    await others(250, mib2 - 2)
    expect((await sendFile(jpg)).status).toBe(429)
    await empty()
    await others(249, mib2 - 2)
    expect((await sendFile(jpg)).status).toBe(200)
  })
})

describe('what no record names', () => {
  const sweepAt = (hours: number) =>
    sweepPictures({
      ...world.app,
      now: () => new Date(world.app.now().getTime() + hours * 3_600_000),
    })
  const left = async () =>
    (await world.rows<{ url: string }>('select url from uploads order by url')).map(
      ({ url }) => url,
    )
  test('goes a day later, with its file; what a record names, or names again, stays', async () => {
    await world.rows('delete from uploads')
    const [shown, inText, dropped, again, late] = (
      await Promise.all(Array.from({ length: 5 }, () => sendFile(jpg)))
    ).map(({ body }) => body.url as string)
    await world.rows(`insert into product_categories (id, org_id, name) values (77, 3, 'x')`)
    await world.rows(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
        retail_price, images) values (77, 3, 77, 'x', 'x', 'NONE', 1, 2, $1)`,
      [[shown]],
    )
    await world.rows(
      `insert into notices (org_id, title, content, excerpt) values (3, 'x', $1, 'x')`,
      [`<p><img src="${inText}"></p>`],
    )
    const before = await filesOnDisk()
    await sweepAt(23)
    await sweepAt(23.9)
    expect((await left()).length).toBe(5)
    await world.rows(
      `update uploads set created_at = created_at + interval '1 hour' where url = $1`,
      [late],
    )
    await sweepAt(24)
    expect((await left()).length, 'marked').toBe(5)
    const naming = world.app.database.read(systemScope, (db) =>
      missingPictures(
        { db, actor: { userId: people.operator + 900 } } as never,
        [dropped as string, late as string],
        sql`true`,
      ),
    )
    expect(await naming, 'what is marked is named by no new record').toEqual([dropped])
    await world.rows('update products set images = images || $1 where id = 77', [[again]])
    await sweepAt(25.5)
    expect(await left()).toEqual([shown, inText, again, late].sort())
    expect((await filesOnDisk()) - before).toBe(-1)
    await world.rows('update products set images = $1 where id = 77', [[shown]])
    await sweepAt(26)
    expect(await left(), 'since it was named again').toContain(again)
  })
  test('a file that could not be written leaves a row that goes as well', async () => {
    await world.rows('delete from uploads')
    const put = vi.spyOn(world.app.files, 'put').mockRejectedValueOnce(new Error('disk'))
    expect((await sendFile(jpg)).status).toBe(500)
    put.mockRestore()
    expect((await left()).length).toBe(1)
    await sweepAt(25)
    await sweepAt(27)
    expect(await left()).toEqual([])
  })
})
