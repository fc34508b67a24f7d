// Format, lint, types, unused code and import rules, two at a time, in under 30 s.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureRuntime, root, say } from './lib/runtime.mjs'

await ensureRuntime()

const fix = process.argv.includes('--fix')
const steps = [
  { name: 'biome', needs: ['biome.json', 'biome.jsonc'], bin: '@biomejs/biome/bin/biome', args: ['check', ...(fix ? ['--write'] : []), '--error-on-warnings', '.'] },
  { name: 'types', needs: ['tsconfig.json'], bin: 'typescript/bin/tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'knip', needs: ['knip.json', 'knip.jsonc', 'knip.ts'], bin: 'knip/bin/knip.js', args: [] },
  { name: 'imports', needs: ['.dependency-cruiser.cjs', '.dependency-cruiser.mjs', '.dependency-cruiser.json'], bin: 'dependency-cruiser/bin/dependency-cruiser.mjs', args: ['--output-type', 'err', 'src'] },
].filter(({ needs }) => needs.some((file) => existsSync(join(root, file))))

function runStep({ name, bin, args }) {
  return new Promise((done) => {
    const began = Date.now()
    const child = spawn(process.execPath, [join(root, 'node_modules', bin), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' } })
    const output = []
    child.stdout.on('data', (data) => output.push(data))
    child.stderr.on('data', (data) => output.push(data))
    child.once('exit', (code) => {
      say(`${code === 0 ? '✓' : '✗'} ${name.padEnd(8)} ${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s`)
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
say(`${good ? 'All checks passed' : 'Some checks failed'} in ${((Date.now() - began) / 1000).toFixed(1)} s`)
process.exitCode = good ? 0 : 1
