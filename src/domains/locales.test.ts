import { expect, test } from 'vitest'
import { say } from '../shared/text.ts'
import { locale as web } from '../web/locale.ts'
import { locales, screens } from './product.ts'

const texts = (found: unknown): string[] =>
  typeof found === 'string'
    ? [found]
    : Object.values((found ?? {}) as Record<string, unknown>).flatMap(texts)

/** Half-width marks beside Chinese; between digits and in what machines read they stay. */
const half =
  /[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]|\([^)]*[\u4e00-\u9fff]|[\u4e00-\u9fff]\(/

/** Where they still stand; a name that is gone from here does not come back. */
const later = ['complaints', 'jobs', 'notices', 'organisations', 'session', 'settings', 'users']

test.each(Object.keys(locales).filter((domain) => !later.includes(domain)))(
  'Chinese texts of %s have Chinese punctuation',
  (domain) => {
    expect(texts(locales[domain]?.zh).filter((text) => half.test(text))).toEqual([])
  },
)

test('Chinese texts of the platform and of the screens have Chinese punctuation', () => {
  const all = [...texts(web.zh), ...screens.map(({ title }) => say(title, 'zh-CN'))]
  expect(all.filter((text) => half.test(text))).toEqual([])
})
