import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keepOlder } from './webBuild.ts'

const root = mkdtempSync(path.join(tmpdir(), 'huodao-build-'))
afterAll(() => rmSync(root, { recursive: true }))

function build(name: string, files: readonly string[]): string {
  const folder = path.join(root, name)
  mkdirSync(path.join(folder, 'assets'), { recursive: true })
  for (const file of files) writeFileSync(path.join(folder, 'assets', file), file)
  return folder
}
const assets = (folder: string) => readdirSync(path.join(folder, 'assets')).sort()

test('a page opened before a release finds its chunks, for four releases more', () => {
  let last = build('r0', ['app-0.js', 'react.js'])
  for (let at = 1; at <= 5; at += 1) {
    const next = build(`r${at}`, [`app-${at}.js`, 'react.js'])
    keepOlder(last, next)
    last = next
    if (at === 4)
      expect(assets(last)).toEqual([
        'app-0.js',
        'app-1.js',
        'app-2.js',
        'app-3.js',
        'app-4.js',
        'react.js',
      ])
  }
  expect(assets(last)).toEqual([
    'app-1.js',
    'app-2.js',
    'app-3.js',
    'app-4.js',
    'app-5.js',
    'react.js',
  ])
})
