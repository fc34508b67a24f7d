import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'

/**
 * The benches of this checkout and of another in turn (A B A B), the better of two runs of each: order list and vend intake,
 * as ratios that hold on a busy machine. `node bench/compare.ts --with PATH [lists] [gateway]`
 */
const { values, positionals } = parseArgs({ options: { with: { type: 'string' } }, allowPositionals: true })
if (!values.with) throw new Error('Against which checkout? --with PATH')
const other = path.resolve(values.with)

const figures: Record<string, { what: string; of: RegExp }[]> = {
  lists: [{ what: 'order list, pages/s', of: /^HTTP\s+([\d.]+) pages/m }],
  gateway: [{ what: 'vends/s at saturation', of: /against one each\s+([\d.]+) \// }],
}
const env = { ...process.env, GATEWAY_MACHINES: '200', GATEWAY_SECONDS: '5', GATEWAY_VENDS: '10', GATEWAY_STORM_MS: '3000' }

for (const name of positionals.length ? positionals : Object.keys(figures)) {
  const said = new Map<string, string[]>([
    [other, []],
    [process.cwd(), []],
  ])
  for (let turn = 0; turn < 2; turn += 1)
    for (const [root, texts] of said) {
      const { stdout } = spawnSync(process.execPath, [`bench/${name}.ts`], {
        cwd: root,
        env,
        encoding: 'utf8',
        maxBuffer: 1e8,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      texts.push(stdout)
    }
  for (const { what, of } of figures[name] ?? []) {
    const [before = 0, now = 0] = [...said.values()].map((texts) => Math.max(...texts.map((text) => Number(of.exec(text)?.[1] ?? 0))))
    console.log(`${what}: ${before} before, ${now} now, ratio ${(now / before).toFixed(2)}`)
  }
}
