import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadConfig, settingNames } from './config.ts'

const withSetting = (more: Record<string, string>) => () =>
  loadConfig({ SECRET_KEY: '0'.repeat(64), SIM_PAY_KEY: '1'.repeat(64), ...more })

describe('a wrong setting is named in one sentence and one language', () => {
  test.each([
    [
      { LOG_LEVEL: 'loud' },
      'The setting LOG_LEVEL must be one of trace, debug, info, warn, error, silent.',
    ],
    [{ DEMO: 'yes' }, 'The setting DEMO must be 1 or 0.'],
    [
      { DEMO: '1', PRODUCTION: '1' },
      'The setting DEMO must be 0 in production: demo accounts have a public password.',
    ],
    [{ PORT: '99999' }, 'The setting PORT must be a whole number from 1 to 65535.'],
    [{ TRUST_PROXY: '::::' }, 'The setting TRUST_PROXY must be 0, 1 or a list of proxy addresses.'],
    [
      { TRUST_PROXY: '10.0.0.1,10.0.0.0/99' },
      'The setting TRUST_PROXY must be 0, 1 or a list of proxy addresses.',
    ],
    [{ SMS_API_KEY: 'x'.repeat(501) }, /^The setting SMS_API_KEY is wrong: [\x20-\x7e]+$/],
    [{ DATABASE_OWNER_URL: 'postgres://o@h/d' }, /wants DATABASE_URL as well/],
  ])('%o', (more, message) => expect(withSetting(more as Record<string, string>)).toThrow(message))
})

test.each([
  ['/proc/huodao', 'The setting DATA_DIR cannot be used'],
  ['/dev/null/huodao', 'The setting DATA_DIR cannot be used'],
])('a data folder that cannot be made is refused at once: %s', (DATA_DIR, message) => {
  expect(() => loadConfig({ DATA_DIR })).toThrow(message)
})

test('every setting stands in docs/operations.md, and none that is none', () => {
  const named = [
    ...readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`[^|]+`) \|/gm),
  ].flatMap(([, cell = '']) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name))
  expect(named.sort()).toEqual(settingNames.filter((name) => name !== 'PRODUCTION').sort())
})
