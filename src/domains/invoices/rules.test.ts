import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  concerns,
  counts,
  fileKind,
  invoiceStateNames,
  invoiceStates,
  sendable,
  taxNoForm,
  taxOf,
  titleFinding,
} from './rules.ts'

test.each([
  ['91440300MA5XXXXX1', true],
  ['91440300MA5XXXXX12', true],
  ['914403000000001', true],
  ['91440300MA5XXXXX1234', true],
  ['91440300MA5XXXXX123', false],
  ['91440300ma5xxxxx12', false],
  ['91440300MA5XXXXX1\n', false],
  ['', false],
])('tax number %j: %s', (text, ok) => expect(taxNoForm.test(text)).toBe(ok))

test.each([
  [11_300, 1300, 1300],
  [10_600, 600, 600],
  [100, 0, 0],
  [1, 1300, 0],
  [999, 300, 29],
  // a half goes up
  [15, 9000, 7],
  [3, 2000, 1],
  // past what a double holds exactly
  [1_000_000_000_000_003, 1300, 115044247787611],
])('of %i fen at %i bp the tax is %i', (amount, rate, tax) => expect(taxOf(amount, rate)).toBe(tax))

test('states lead where the book says, and end', () => {
  expect(invoiceStates.moves).toEqual({
    PENDING: ['ISSUING', 'REJECTED', 'CANCELLED'],
    ISSUING: ['ISSUED', 'REJECTED'],
    ISSUED: ['SENT', 'RED_PENDING', 'RED'],
    SENT: ['RED_PENDING', 'RED'],
    RED_PENDING: ['RED'],
    REJECTED: [],
    CANCELLED: [],
    RED: [],
  })
  expect(invoiceStateNames.filter((state) => !counts(state))).toEqual([
    'REJECTED',
    'CANCELLED',
    'RED',
  ])
})

test('what is out is sent, and sent again once the first try is over', () => {
  const at = (state: (typeof invoiceStateNames)[number], mailing = false, mailError = '') =>
    sendable({ state, mailing, mailError })
  expect(invoiceStateNames.filter((state) => at(state))).toEqual(['ISSUED', 'SENT'])
  expect([at('ISSUED', true), at('ISSUED', true, 'no mail server')]).toEqual([false, true])
})

test('a special invoice needs all of its title', () => {
  const title = { address: '1', phone: '1', bank: '1', bankAccount: '1' }
  expect(titleFinding('NORMAL', { ...title, address: '' })).toBeNull()
  expect(titleFinding('SPECIAL', title)).toBeNull()
  for (const field of ['address', 'phone', 'bank', 'bankAccount'])
    expect(titleFinding('SPECIAL', { ...title, [field]: '' })?.name).toBe('invoices.wholeTitle')
})

test('a file is for the two whose it is', () => {
  const row = { orgId: 3, issuerOrgId: 2 }
  expect([1, 2, 3, 4].filter((org) => concerns(row, org))).toEqual([2, 3])
})

/** A zip of one entry, with what follows its directory. */
function zip(name: string, { comment = 0, said = 1 } = {}): Buffer {
  const [path, data] = [Buffer.from(name), deflateRawSync('<ofd/>')]
  const local = Buffer.alloc(30)
  local.write('PK\u0003\u0004', 'latin1')
  local.writeUInt16LE(path.length, 26)
  const head = Buffer.alloc(46)
  head.write('PK\u0001\u0002', 'latin1')
  head.writeUInt16LE(path.length, 28)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(said, 10)
  end.writeUInt32LE(local.length + path.length + data.length, 16)
  end.writeUInt16LE(comment, 20)
  return Buffer.concat([local, path, data, head, path, end, Buffer.alloc(comment, 65)])
}
test.each([
  ['a pdf', Buffer.from('%PDF-1.7\n…\n%%EOF\n'), 'pdf'],
  ['half a pdf', Buffer.from('%PDF-1.7\n…'), 'broken'],
  ['an ofd', zip('OFD.xml'), 'ofd'],
  ['an ofd with a comment', zip('OFD.xml', { comment: 4000 }), 'ofd'],
  ['a zip by another name', zip('word/document.xml'), null],
  ['an ofd that lies deeper', zip('doc/OFD.xml'), null],
  ['a zip that says it has more', zip('OFD.xml', { said: 3 }), 'broken'],
  ['half a zip', zip('OFD.xml').subarray(0, 60), 'broken'],
  [
    'a directory far outside',
    Buffer.concat([zip('OFD.xml').subarray(0, -6), Buffer.alloc(6, 255)]),
    'broken',
  ],
  ['a page', Buffer.from('<html>%PDF-1.7 %%EOF'), null],
  ['a program', Buffer.from('MZ\u0090'), null],
  ['two letters', Buffer.from('PK'), null],
  ['nothing', Buffer.alloc(0), null],
] as const)('%s', (_name, bytes, kind) => expect(fileKind(bytes)).toBe(kind))
