import { expect, test } from 'vitest'
import { rolesNamed } from './named.ts'

const role = (id: number, code: string, name: string, nameEn = '', builtin = false) => ({
  ...{ id, code, name, nameEn, builtin },
})
const roles = [
  role(1, 'ROLE_FINANCE', '财务', 'Finance', true),
  role(2, 'ROLE_X1', '店长', 'Manager'),
  role(3, 'ROLE_X2', '店长', 'Second'),
  role(4, 'ROLE_X3', '財務', 'ROLE_X1'),
]
const none = /^角色不存在或无权分配/
test.each([
  ['财务', [1]],
  ['ｆｉｎａｎｃｅ，second', [1, 3]],
  ['role_x2、ROLE_X2;Second', [3]],
  // a code before a name
  ['ROLE_X1', [2]],
  // called like a built-in one
  ['財務', none],
  ['店长', /^有多个同名角色/],
  ['财务、火星', none],
  [' 、', none],
  [Array(11).fill('财务').join('、'), /^最多10个角色/],
])('%s', (words, expected) => {
  const found = rolesNamed(roles)(words, () => true)
  if (expected instanceof RegExp) expect(found).toMatch(expected)
  else expect((found as typeof roles).map(({ id }) => id)).toEqual(expected)
})
test('whom it fits decides between two of one name', () =>
  expect(rolesNamed(roles)('店长', ({ id }) => id === 3)).toEqual([roles[2]]))

test('a file of words that nobody knows costs what its words do, not times the roles', () => {
  const many = Array.from({ length: 1000 }, (_, i) =>
    role(i, `ROLE_X${i}`, `班组${i}`, `Team ${i}`),
  )
  const began = process.cpuUsage()
  const named = rolesNamed(many)
  for (let row = 0; row < 1000; row += 1)
    named(Array.from({ length: 10 }, (_, i) => `无${row}号${i}`).join('、'), () => true)
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500)
})
