import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineImporter, type Importer } from '../../../server/importers.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { importers } from '../../product.ts'
import { cell, sheetXml, workbook, xlsx, zip } from './testFiles.ts'
import { openWorld, type World } from './testWorld.ts'

/**
 * T11: files nobody should send, against pictures and imports: each refused with its code, quickly,
 * and memory stays flat.
 */
const things = defineImporter({
  kind: 'test-things',
  title: bi('测试', 'Test'),
  permission: 'product-category:create',
  columns: [
    { key: 'name', title: bi('名称', 'Name'), required: true },
    { key: 'code', title: bi('编号', 'Code') },
  ],
  row: z.strictObject({
    name: f.text(30, bi('请输入名称', 'Enter a name')),
    code: z.string().max(20).optional(),
  }),
  run: async () => [],
})

let world: World
let jpg: Buffer
let png: Buffer
let good: Buffer
beforeAll(async () => {
  ;((await importers()) as Importer[]).push(things)
  world = await openWorld()
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: '#c83232' } })
  jpg = await picture.clone().jpeg().toBuffer()
  png = await picture.clone().png().toBuffer()
  good = await xlsx([
    ['名称', '编号'],
    ['茶', '1'],
  ])
})
afterAll(() => world.close())

const row = (n: number, ...cells: string[]) => `<row r="${n}">${cells.join('')}</row>`
const head = row(1, cell('A1', '名称'), cell('B1', '编号'))
const book = (rows: string) => workbook(sheetXml(head + rows))
/** 1,000 rows of 200 cells that all point to one text. */
const shared = (value: string) => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const cells = '<c t="s"><v>0</v></c>'.repeat(200)
  const rows = Array.from({ length: 1000 }, (_, i) => row(i + 2, cells)).join('')
  return workbook(sheetXml(rows), [
    {
      name: 'xl/sharedStrings.xml',
      data: text(`<sst xmlns="${main}" count="1" uniqueCount="1"><si><t>${value}</t></si></sst>`),
    },
  ])
}
const farCells = (place: (row: number) => string) =>
  Array.from({ length: 1500 }, (_, i) => row(i + 2, `<c ${place(i + 2)}><v>1</v></c>`)).join('')
const cut = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share))
const patched = (bytes: Buffer, at: number, value: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt32LE(value, at)
  return copy
}
const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}
/** A png of any size from almost no bytes. */
const hugePng = (width: number, height: number) => {
  const size = Buffer.alloc(13)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  size.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(Buffer.alloc(1000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const zeros = (megabytes: number) => Buffer.alloc(megabytes * 1024 * 1024)
const text = (value: string) => Buffer.from(value)

type Bad = readonly [name: string, file: () => Buffer | Promise<Buffer>, status: number]
const sheets: readonly Bad[] = [
  // no file at all
  ['empty', () => Buffer.alloc(0), 400],
  ['one byte', () => Buffer.alloc(1), 415],
  ['nothing but spaces', () => text('   \n  \n'), 400],
  ['8 MB + 1', () => Buffer.concat([zeros(8), Buffer.alloc(1)]), 413],
  // something else
  ['a picture', () => png, 415],
  ['a photo', () => jpg, 415],
  ['a pdf', () => text('%PDF-1.7\n1 0 obj'), 415],
  ['a page', () => text('<!doctype html><table><tr><td>名称</td></tr></table>'), 415],
  ['xml', () => text('<?xml version="1.0"?><Workbook/>'), 415],
  ['json', () => text('{"名称":"茶"}'), 415],
  ['an old xls', () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), zeros(1)]), 415],
  ['a program', () => Buffer.concat([text('MZ'), Buffer.alloc(500)]), 415],
  [
    'an elf program',
    () => Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(500)]),
    415,
  ],
  [
    'rar',
    () => Buffer.concat([text('Rar!'), Buffer.from('1a0700', 'hex'), Buffer.alloc(100)]),
    415,
  ],
  ['gzip', () => Buffer.from('1f8b0800000000000003', 'hex'), 415],
  ['text with zero bytes', () => text('名称\u0000,编号\n茶,1\n'), 415],
  ['UTF-16', () => Buffer.from('\ufeff名称,编号\n茶,1\n', 'utf16le'), 415],
  [
    'noise',
    () => Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 2_654_435_761) >>> 24)),
    415,
  ],
  // zips that are no workbook
  ['the letters PK', () => text('PK'), 400],
  ['PK and zeros', () => Buffer.concat([text('PK\x03\x04'), Buffer.alloc(200)]), 400],
  ['an empty zip', () => zip([]), 400],
  ['a zip of one picture', () => zip([{ name: 'a.png', data: png }]), 400],
  ['a Word file', () => zip([{ name: 'word/document.xml', data: text('<w:document/>') }]), 400],
  ['half a workbook', () => cut(good, 0.5), 400],
  ['a workbook without its end', () => good.subarray(0, good.length - 10), 400],
  ['a directory that points outside', () => patched(good, good.length - 6, 0x7fffffff), 400],
  ['a directory that points into the middle', () => patched(good, good.length - 6, 17), 400],
  ['more entries than there are', () => zip([{ name: 'a', data: text('a') }], { count: 9 }), 400],
  ['100,000 entries claimed', () => zip([{ name: 'a', data: text('a') }], { count: 60_000 }), 400],
  [
    '300 entries',
    () => zip(Array.from({ length: 300 }, (_, i) => ({ name: `x${i}`, data: text('x') }))),
    400,
  ],
  ['an encrypted entry', () => zip([{ name: 'xl/workbook.xml', data: text('x'), flags: 1 }]), 400],
  [
    'a packing nobody knows',
    () => zip([{ name: 'xl/workbook.xml', data: text('x'), method: 99 }]),
    400,
  ],
  [
    'damaged packing',
    () => zip([{ name: 'xl/workbook.xml', data: text('x'), raw: Buffer.alloc(40, 0xff) }]),
    400,
  ],
  // bombs
  ['64 MB of zeros in one entry', () => workbook(zeros(64)), 400],
  [
    '64 MB of spaces beside the sheet',
    () => workbook(sheetXml(head), [{ name: 'xl/media/a.bin', data: zeros(64) }]),
    400,
  ],
  [
    'twenty entries of 2 MB',
    () =>
      workbook(
        sheetXml(head),
        Array.from({ length: 20 }, (_, i) => ({ name: `b${i}`, data: zeros(2) })),
      ),
    400,
  ],
  [
    'a bomb that claims to be small',
    () => zip([{ name: 'xl/worksheets/sheet1.xml', data: zeros(64), claimed: 10 }]),
    400,
  ],
  [
    'a bomb in a bomb',
    () =>
      workbook(sheetXml(head), [{ name: 'a.zip', data: zip([{ name: 'b', data: zeros(32) }]) }]),
    400,
  ],
  [
    'entries that share their bytes',
    () =>
      zip(
        Array.from({ length: 150 }, (_, i) => ({
          name: `s${i}`,
          data: Buffer.alloc(0),
          raw: deflateRawSync(zeros(1)),
        })),
      ),
    400,
  ],
  // sheets that lie
  ['a sheet that is no xml', () => workbook('not a sheet'), 400],
  ['a sheet that ends early', () => workbook(sheetXml(head).slice(0, 120)), 400],
  [
    'a billion laughs',
    () =>
      workbook(
        `<?xml version="1.0"?><!DOCTYPE x [${Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i} "${i ? `&l${i - 1};`.repeat(10) : 'ha'}">`).join('')}]>${sheetXml(row(1, cell('A1', '&l11;')))}`,
      ),
    400,
  ],
  [
    'an entity from the disk',
    () =>
      workbook(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${sheetXml(row(1, cell('A1', '&f;')))}`,
      ),
    400,
  ],
  ['elements 100,000 deep', () => workbook(`<worksheet>${'<a>'.repeat(100_000)}`), 400],
  [
    'a million empty rows, then one',
    () => book(`<row r="1048576">${cell('A1048576', '茶')}${cell('XFD1048576', '茶')}</row>`),
    400,
  ],
  [
    '1,001 rows',
    () =>
      book(
        Array.from({ length: 1001 }, (_, i) => row(i + 2, cell(`A${i + 2}`, `茶${i}`))).join(''),
      ),
    400,
  ],
  [
    '100,000 rows',
    () =>
      book(Array.from({ length: 100_000 }, (_, i) => row(i + 2, cell(`A${i + 2}`, 't'))).join('')),
    400,
  ],
  [
    '60,000 empty rows',
    () => book(Array.from({ length: 60_000 }, (_, i) => row(i + 2, `<c r="A${i + 2}"/>`)).join('')),
    400,
  ],
  [
    '900,000 shared texts in 38 kB',
    () =>
      workbook(sheetXml(head), [
        {
          name: 'xl/sharedStrings.xml',
          data: text(`<sst>${'<si><t>x</t></si>'.repeat(900_000)}</sst>`),
        },
      ]),
    400,
  ],
  ['1,000 rows that share one text of a megabyte', () => shared('x'.repeat(1_000_000)), 400],
  [
    '16,384 columns',
    () =>
      workbook(
        sheetXml(
          `<row r="1">${Array.from({ length: 16_384 }, (_, i) => `<c t="inlineStr"><is><t>c${i}</t></is></c>`).join('')}</row>`,
        ),
      ),
    400,
  ],
  ['a cell of a megabyte', () => book(row(2, cell('A2', 'x'.repeat(1_000_000)))), 400],
  [
    'a formula instead of a name',
    () => book(row(2, '<c r="A2"><f>HYPERLINK("http://x")</f></c>', cell('B2', '1'))),
    400,
  ],
  // texts that lie
  ['another head', () => text('姓名,编号\n茶,1\n'), 400],
  ['only a head', () => text('名称,编号\n'), 400],
  ['more cells than heads', () => text('名称,编号\n茶,1,2,3\n'), 400],
  ['8 MB of commas', () => Buffer.alloc(8_388_608, ','), 400],
  ['8 MB of lines', () => Buffer.alloc(8_388_608, 'a\n'), 400],
  ['8 MB of nothing but lines', () => Buffer.alloc(8_388_608, '\n'), 400],
  [
    'a head and 8 MB of empty lines',
    () => Buffer.concat([text('名称,编号\n'), Buffer.alloc(8_300_000, '\r\n')]),
    400,
  ],
  [
    'one quoted field of 7 MB',
    () => text(`名称,编号\n"${`${'x'.repeat(50_000)}\n`.repeat(140)}",1\n`),
    400,
  ],
  [
    'one quoted field of 7 MB of quotes',
    () => text(`名称,编号\n"${`${'""'.repeat(20_000)}\n`.repeat(175)}",1\n`),
    400,
  ],
  ['a quote that never ends', () => text(`名称,编号\n"${'x'.repeat(1_000_000)}`), 400],
]
const pictures: readonly Bad[] = [
  ['a workbook named jpg', () => good, 415],
  [
    'an svg with a script',
    () => text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
    415,
  ],
  ['a gif', () => text('GIF89a\x01\x00\x01\x00'), 415],
  ['a webp', async () => sharp(jpg).webp().toBuffer(), 415],
  ['half a photo', () => cut(jpg, 0.5), 400],
  ['half a picture', () => cut(png, 0.5), 400],
  ['30,000 x 30,000 px from a kilobyte', () => hugePng(30_000, 30_000), 400],
  ['2 MB + 1', () => Buffer.concat([jpg, Buffer.alloc(2 * 1024 * 1024 - jpg.length + 1)]), 413],
]

const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000
/**
 * Work, not waiting: the suite runs beside others. `own`: of the thread that answers everybody else
 * meanwhile.
 */
const timed = async (url: string, file: Buffer, name: string) => {
  const own = process.threadCpuUsage()
  const answer = await world.upload('super', url, file, name)
  return { answer, own: ms(process.threadCpuUsage(own)) }
}

describe('bad files', () => {
  test('are sixty and more', () =>
    expect(sheets.length + pictures.length).toBeGreaterThanOrEqual(60))
  test.each(sheets)('import: %s', async (_name, make, status) => {
    const { answer, own } = await timed('/imports/test-things', await make(), 'a.xlsx')
    expect([answer.status, answer.body.code], JSON.stringify(answer.body)).toEqual([
      status,
      expect.any(Number),
    ])
    expect(answer.body.message).not.toBe('操作失败')
    // by what it is, not by its time
    expect(answer.body.error).not.toBe('jobs.fileTooComplex')
    expect(own).toBeLessThan(700)
  })
  test.each(pictures)('picture: %s', async (_name, make, status) => {
    const { answer } = await timed('/uploads/images', await make(), 'a.jpg')
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  })
  test('a form that unpacks to 200 MB is not unpacked', async () => {
    const head = text(
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n',
    )
    const bomb = gzipSync(Buffer.concat([head, zeros(200), text('\r\n--b--\r\n')]))
    const began = process.cpuUsage()
    const before = process.memoryUsage().rss
    for (const encoding of ['gzip', 'GZIP', 'br', 'x-unknown'])
      for (const url of ['/imports/test-things', '/uploads/images']) {
        const headers = {
          'content-type': 'multipart/form-data; boundary=b',
          'content-encoding': encoding,
        }
        const answer = await world.send('super', url, bomb, headers)
        expect([url, encoding, answer.status, answer.body.code]).toEqual([
          url,
          encoding,
          415,
          415002,
        ])
      }
    expect([
      ms(process.cpuUsage(began)) < 1000,
      (process.memoryUsage().rss - before) / 1e6 < 50,
    ]).toEqual([true, true])
  })
  test('cells far apart are refused before anything is made of them', async () => {
    for (const place of [
      (at: number) => `r="XFD${at}"`,
      (at: number) => `t='str'r = '&#88;f&#68;${at}'`,
    ])
      expect(
        (await world.upload('super', '/imports/test-things', book(farCells(place)))).body.error,
      ).toBe('jobs.fileUnsafe')
    const entities = workbook(sheetXml(head + row(2, cell('A2', '&amp;'.repeat(3_000_000)))))
    expect((await world.upload('super', '/imports/test-things', entities)).body.error).toBe(
      'jobs.fileUnsafe',
    )
    // what some programs write for a line that is coloured to its end
    const coloured = row(2, cell('A2', '茶'), '<c r="XFD2" s="0"/>')
    expect(
      (await world.upload('super', '/imports/test-things?dryRun=true', book(coloured))).status,
    ).toBe(200)
  })
  test('leave no row, and memory where it was', async () => {
    expect(await world.sql(`select 1 from jobs where state <> 'FAILED'`)).toEqual([])
    expect(await world.sql('select 1 from uploads')).toEqual([])
    const bomb = workbook(zeros(64))
    const before = process.memoryUsage().rss
    for (let i = 0; i < 20; i += 1) await world.upload('operator', '/imports/test-things', bomb)
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(150)
  })
})

describe('one organisation that sends without end', () => {
  const flood = (user: string, url: string, file: Buffer) =>
    Array.from({ length: 40 }, () => world.upload(user, url, file))
  test('stops neither imports nor forms of others', async () => {
    const cells = Array.from({ length: 150 }, () => '<c><v>1</v></c>').join('')
    const slow = book(Array.from({ length: 1000 }, (_, i) => row(i + 2, cells)).join(''))
    const sent = flood('super', '/imports/test-things/marked', slow)
    const first = await Promise.race(sent)
    const others = ['/imports/test-things?dryRun=true', '/imports/test-things/marked'].map((url) =>
      world.upload('operator', url, good),
    )
    const form = await world.file('operator', '/imports/test-things/template')
    expect([
      first.status,
      form.status,
      ...(await Promise.all(others)).map(({ status }) => status),
    ]).toEqual([503, 200, 200, 200])
    await Promise.all(sent)
  })
  test('stops no pictures of others', async () => {
    const large = await sharp({
      create: { width: 4900, height: 4900, channels: 3, background: '#c83232' },
    })
      .jpeg({ progressive: true })
      .toBuffer()
    const sent = flood('super', '/uploads/images', large)
    const first = await Promise.race(sent)
    const other = await world.upload('operator', '/uploads/images', jpg)
    expect([first.status, other.status]).toEqual([503, 200])
    await Promise.all(sent)
  })
})
