import { expect, test } from 'vitest'
import {
  counts,
  fileKind,
  invoiceMoves,
  invoiceStates,
  taxNoForm,
  taxOf,
  titleFindings,
} from './rules.ts'

test.each([
  ['91440300MA5XXXXX1', true],
  ['91440300MA5XXXXX12', true],
  ['914403000000001', true],
  ['91440300MA5XXXXX1234', true],
  ['91440300MA5XXXXX123', false],
  ['91440300ma5xxxxx12', false],
  ['', false],
])('tax number %s: %s', (text, ok) => expect(taxNoForm.test(text)).toBe(ok))

test.each([
  [11_300, 1300, 1300],
  [10_600, 600, 600],
  [100, 0, 0],
  [1, 1300, 0],
  [999, 300, 29],
])('of %i fen at %i bp the tax is %i', (amount, rate, tax) => expect(taxOf(amount, rate)).toBe(tax))

test('states lead where the book says, and end', () => {
  const next = (from: string) =>
    invoiceStates.filter((to) => (invoiceMoves[to] as readonly string[]).includes(from))
  expect(Object.fromEntries(invoiceStates.map((state) => [state, next(state)]))).toEqual({
    PENDING: ['ISSUING', 'REJECTED', 'CANCELLED'],
    ISSUING: ['ISSUED'],
    ISSUED: ['SENT', 'RED_PENDING', 'RED'],
    SENT: ['SENT', 'RED_PENDING', 'RED'],
    REJECTED: [],
    CANCELLED: [],
    RED_PENDING: ['RED'],
    RED: [],
  })
  expect(invoiceStates.filter((state) => !counts(state))).toEqual(['REJECTED', 'CANCELLED', 'RED'])
})

test('a special invoice needs all of its title', () => {
  const title = { address: '', phone: '1', bank: '', bankAccount: '1' }
  expect(titleFindings('NORMAL', title)).toEqual([])
  expect(titleFindings('SPECIAL', title).map(({ field }) => field)).toEqual(['address', 'bank'])
})

test.each([
  ['%PDF-1.7 …', 'pdf'],
  ['PK\u0003\u0004…', 'ofd'],
  ['PK', null],
  ['<html>%PDF-', null],
  ['', null],
] as const)('a file that begins with %j is %s', (text, kind) =>
  expect(fileKind(Buffer.from(text))).toBe(kind),
)
