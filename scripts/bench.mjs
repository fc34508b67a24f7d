import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureRuntime, root, runProgram, say } from './lib/runtime.mjs'

await ensureRuntime()
const [name = '', ...args] = process.argv.slice(2)
const folder = join(root, 'bench')
const names = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => file.slice(0, -3))
  : []
if (names.includes(name)) {
  await runProgram(`bench/${name}.ts`, args)
} else {
  say(`Which benchmark? npm run bench -- <name>, one of: ${names.join(', ') || '(none yet)'}`)
  process.exitCode = 1
}
