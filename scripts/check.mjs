// Format, lint, types, unused code, import rules and what docs/security.md cites, two at a time, in
// under 30 s.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureRuntime, root, say } from './lib/runtime.mjs'

await ensureRuntime()

const fix = process.argv.includes('--fix')
// Longest first: two run side by side.
const steps = [
  { name: 'types', bin: 'node_modules/typescript/bin/tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'knip', bin: 'node_modules/knip/bin/knip.js', args: ['--no-progress'] },
  {
    name: 'biome',
    bin: 'node_modules/@biomejs/biome/bin/biome',
    args: ['check', ...(fix ? ['--write'] : []), '--error-on-warnings', '.'],
  },
  { name: 'imports', bin: 'scripts/imports.mjs', args: [] },
  { name: 'security', bin: 'scripts/citations.mjs', args: [] },
]

function runStep({ name, bin, args }) {
  return new Promise((done) => {
    const began = Date.now()
    const child = spawn(process.execPath, [join(root, bin), ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    })
    const output = []
    child.stdout.on('data', (data) => output.push(data))
    child.stderr.on('data', (data) => output.push(data))
    child.once('exit', (code) => {
      say(
        `${code === 0 ? '✓' : '✗'} ${name.padEnd(8)} ${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s`,
      )
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      done(code === 0)
    })
  })
}

const began = Date.now()
const queue = [...steps]
let good = true
const lane = async () => {
  for (let step = queue.shift(); step; step = queue.shift()) good = (await runStep(step)) && good
}
await Promise.all([lane(), lane()])
say(
  `${good ? 'All checks passed' : 'Some checks failed'} in ${((Date.now() - began) / 1000).toFixed(1)} s`,
)
process.exitCode = good ? 0 : 1
