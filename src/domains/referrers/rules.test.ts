import { expect, test } from 'vitest'
import { bindable, referrerErrors, shownMobile, shownName } from './rules.ts'

test.each([
  ['PERSONAL', null],
  ['MERCHANT', referrerErrors.noPerson],
  ['LEDGER', referrerErrors.noPerson],
] as const)('%s binds: %o', (kind, error) => expect(bindable(kind)).toBe(error))
test('what is shown of a person', () => {
  expect(shownMobile('13812348000')).toBe('138****8000')
  expect([shownName('张三丰'), shownName('李'), shownName('')]).toEqual(['张**', '李*', ''])
})
