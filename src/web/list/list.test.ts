import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listQuery, rangeFields } from '../../shared/listQuery.ts'
import { arrange, readLayout } from './layout.ts'
import { activeFilters, readQuery, withChange, writeQuery } from './listUrl.ts'
import { squeezed } from './useFitted.ts'

const input = listQuery(
  {
    keyword: z.string().optional(),
    status: z.enum(['ON', 'OFF']).optional(),
    open: z.boolean().optional(),
    ids: z.array(z.number()).optional(),
    amountMin: z.number().optional(),
    amountMax: z.number().optional(),
    ...rangeFields,
  },
  ['name', 'createTime'],
  '-createTime',
)
const defaults = { page: 1, pageSize: 20, sort: '-createTime' }

describe('list query and address', () => {
  it('an empty address is the defaults, and the defaults an empty address', () => {
    expect(readQuery(input, '')).toEqual(defaults)
    expect(writeQuery(input, defaults, '')).toBe('')
  })
  it.each([
    {
      ...defaults,
      page: 3,
      pageSize: 50,
      sort: 'name',
      keyword: '乌龙 & tea',
      status: 'ON',
      open: false,
      ids: [1, 2],
      from: '2026-01-01',
      to: '2026-01-31',
    },
    { ...defaults, open: true },
    { ...defaults, keyword: '0' },
  ])('survives the way through the address: %o', (query) =>
    expect(readQuery(input, writeQuery(input, query, ''))).toEqual(query),
  )
  it.each([
    '?page=0',
    '?page=abc',
    '?pageSize=7',
    '?sort=password',
    '?status=MAYBE',
    '?from=2026-02-30',
    '?unknown=1',
  ])('%s falls back to the defaults', (search) =>
    expect(readQuery(input, search)).toEqual(defaults),
  )
  it('of a range that ends before it begins the end is dropped, and nothing else', () =>
    expect(
      readQuery(input, '?keyword=tea&amountMin=3&amountMax=2&from=2026-01-02&to=2026-01-03'),
    ).toEqual({
      ...{ ...defaults, keyword: 'tea', amountMin: 3 },
      ...{ from: '2026-01-02', to: '2026-01-03' },
    }))
  it('leaves parameters of others alone', () =>
    expect(writeQuery(input, { ...defaults, page: 2 }, '?detail=5&page=9')).toBe(
      '?detail=5&page=2',
    ))
  it('never writes what the page fixes', () => {
    const one = input.extend({ deviceId: z.number() })
    expect(readQuery(one, '?deviceId=9', { deviceId: 3 })).toEqual({ ...defaults, deviceId: 3 })
    expect(writeQuery(one, { ...defaults, deviceId: 3 }, '', { deviceId: 3 })).toBe('')
  })
  it('a changed filter starts at the first page', () => {
    expect(withChange({ ...defaults, page: 4 }, { status: 'ON' })).toEqual({
      ...defaults,
      page: 1,
      status: 'ON',
    })
    expect(withChange(defaults, { page: 4 })).toEqual({ ...defaults, page: 4 })
  })
  it('counts filters, not paging', () =>
    expect(
      activeFilters(input, { ...defaults, page: 2, sort: 'name', open: false, keyword: '' }),
    ).toEqual(['open']))
})

describe('column settings', () => {
  const columns = [{ key: 'a' }, { key: 'b', defaultHidden: true }, { key: 'c' }]
  const shown = (found: unknown) =>
    arrange(columns, readLayout(found))
      .filter((item) => item.shown)
      .map((item) => item.column.key)
  it.each([
    [undefined, ['a', 'c']],
    ['junk', ['a', 'c']],
    [{ order: ['c', 'gone', 'a'], hidden: [] }, ['c', 'a', 'b']],
    [{ order: 3, hidden: ['a'], density: 'huge' }, ['b', 'c']],
  ])('%o shows %o', (found, keys) => expect(shown(found)).toEqual(keys))
})

describe('widths of columns', () => {
  const column = (key: string, width: number, gives = true) => ({
    key,
    title: key,
    width,
    ...(gives ? { fit: String, ellipsis: true } : {}),
  })
  const widths = (columns: readonly { width?: unknown }[]) => columns.map((one) => one.width)
  const columns = [column('a', 220), column('b', 100), column('c', 200, false)]
  it.each([
    { room: 0, wanted: [220, 100, 200], why: 'nothing is measured yet' },
    { room: 600, wanted: [220, 100, 200], why: 'there is room' },
    { room: 480, wanted: [180, 100, 200], why: 'the widest text gives way' },
    {
      room: 444,
      wanted: [152, 92, 200],
      why: 'then all texts, down to what can be read; what a row is called gives way last',
    },
    { room: 420, wanted: [220, 100, 200], why: 'what cannot fit scrolls at its full width' },
  ])('$why', ({ room, wanted }) => expect(widths(squeezed(columns, room))).toEqual(wanted))
})
