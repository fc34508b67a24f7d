import { expect, test } from 'vitest'
import { passwordRule } from '../domains/session/rules.ts'
import { nearWords } from './passwords.ts'

test.each(['Shenzhen2026', 'Xianda2026', 'Xiandayunying1', 'Szxdyy2026'])(
  '%s stands near somebody of 深圳鲜达运营',
  (password) => expect(passwordRule(password, 'li.na', nearWords(['深圳鲜达运营']))).not.toBeNull(),
)
test('a sentence does not', () => {
  expect(passwordRule('Kuh-wandert-18-Berge', 'li.na', nearWords(['深圳鲜达运营']))).toBeNull()
})
