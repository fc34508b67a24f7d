import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { optionalText, price, text } from '../../shared/fields.ts'
import { fieldInfo, isRequired } from '../schema.ts'
import { changedFrom, clean, pickFor } from './values.ts'

const schema = z.strictObject({
  id: z.number(),
  name: text(5, 'needed'),
  note: optionalText(9),
  phone: z.string().regex(/^\d+$/).optional(),
  parent: z.number().nullable(),
  kind: z.enum(['A', 'B']).optional(),
  cost: price,
})

describe('form values', () => {
  it('leaves out what was emptied and unknown keys', () =>
    expect(clean(schema, { id: 1, name: '', note: '', phone: '', parent: null, other: 1 })).toEqual(
      { id: 1, name: '', note: '', parent: null },
    ))
  it('nothing, null and empty text are the same', () => {
    expect(changedFrom({ a: undefined }, { a: '' })).toBe(false)
    expect(changedFrom({ a: [1] }, { a: [1, 2] })).toBe(true)
    expect(changedFrom({}, { a: false })).toBe(true)
  })
  it('takes what the input knows from a record', () =>
    expect(pickFor(schema, { id: 1, name: 'x', createTime: 'y' })).toEqual({ id: 1, name: 'x' }))
  it.each([
    ['name', true],
    ['note', false],
    ['phone', false],
    ['parent', false],
    ['cost', true],
  ] as const)('%s required: %s', (key, required) =>
    expect(isRequired(schema.shape[key])).toBe(required),
  )
  it('reads kinds, units and lengths from the contract', () => {
    expect(fieldInfo(schema.shape.name)).toMatchObject({ kind: 'text', max: 5 })
    expect(fieldInfo(schema.shape.cost)).toMatchObject({ kind: 'number', unit: 'fen' })
    expect(fieldInfo(schema.shape.kind)).toMatchObject({ kind: 'enum', values: ['A', 'B'] })
    expect(
      fieldInfo(
        z
          .enum(['A'])
          .meta({ tones: { A: 'online' } })
          .nullable(),
      ).tones,
    ).toEqual({ A: 'online' })
  })
})
