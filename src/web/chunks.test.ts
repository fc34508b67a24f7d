import { afterEach, expect, test, vi } from 'vitest'
import { failureText } from './chunks.ts'

afterEach(() => vi.unstubAllGlobals())

const gone = new TypeError('Failed to fetch dynamically imported module: http://a/b.js')
test.each([
  ['a part that is gone', gone, true, 'error.chunk'],
  ['a part that was not kept, without a network', gone, false, 'error.network'],
  ['a page that broke', new TypeError('x is undefined'), false, 'error.page'],
])('%s', (_, error, onLine, said) => {
  vi.stubGlobal('navigator', { onLine })
  expect(failureText(error)).toBe(said)
})
