// A domain made by `npm run new-domain` in a copy of the tree passes the check, its own tests and
// the conformance tests.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureRuntime, root } from './lib/runtime.mjs'

await ensureRuntime()

const folder = mkdtempSync(path.join(tmpdir(), 'huodao-domain-'))
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${args.join(' ')} went wrong`)
}
try {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of stdout.trim().split('\n'))
    cpSync(path.join(root, file), path.join(folder, file))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  // the linter asks git what it leaves alone
  run('git', 'init', '-q')
  const node = (...args) => run(process.execPath, ...args)
  const tests = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'pure',
    '--project',
    'database',
  ]
  node('scripts/new-domain.mjs', 'supplier-groups', '供应商分组', 'supplier group')
  node('scripts/check.mjs')
  node(
    ...tests,
    'src/domains/supplier-groups',
    'src/domains/forms',
    'src/domains/locales',
    'test/conformance',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
