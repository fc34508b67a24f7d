import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

/**
 * The benches of this checkout and of another in turn (A B A B), the better of two runs of each:
 * order list, vend intake and sign-in, as ratios that hold on a busy machine. A bench the other
 * does not have is lent to it while it runs. `node bench/compare.ts --with PATH [lists] [gateway]
 * [signin]`
 */
const { values, positionals } = parseArgs({
  options: { with: { type: 'string' } },
  allowPositionals: true,
})
if (!values.with) throw new Error('Against which checkout? --with PATH')
const other = path.resolve(values.with)

const figures: Record<string, { what: string; of: RegExp; less?: true }[]> = {
  lists: [{ what: 'order list, pages/s', of: /^HTTP\s+([\d.]+) pages/m }],
  gateway: [
    { what: 'vends/s at saturation', of: /against one each\s+([\d.]+) \// },
    { what: 'CPU of a vend here, us', of: /CPU of a vend: (\d+)/, less: true },
    { what: 'CPU of a vend in the database, us', of: /us here, (\d+)/, less: true },
  ],
  signin: [
    { what: 'sign-ins/s', of: /^HTTP\s+([\d.]+) sign-ins/m },
    { what: 'sign-in p50, ms', of: /p50 ([\d.]+) ms/, less: true },
  ],
}
const env = {
  ...process.env,
  GATEWAY_MACHINES: '200',
  GATEWAY_SECONDS: '5',
  GATEWAY_VENDS: '10',
  GATEWAY_STORM_MS: '3000',
}

for (const name of positionals.length ? positionals : Object.keys(figures)) {
  const said = new Map<string, string[]>([
    [other, []],
    [process.cwd(), []],
  ])
  const lent = path.join(other, `bench/${name}.ts`)
  const lend = !existsSync(lent)
  if (lend) copyFileSync(`bench/${name}.ts`, lent)
  try {
    for (let turn = 0; turn < 2; turn += 1)
      for (const [root, texts] of said) texts.push(run(root, name))
  } finally {
    if (lend) rmSync(lent)
  }
  for (const { what, of, less } of figures[name] ?? []) {
    const better = less ? Math.min : Math.max
    const [before = Number.NaN, now = Number.NaN] = [...said.values()].map((texts) =>
      better(...texts.map((text) => Number(of.exec(text)?.[1] ?? Number.NaN))),
    )
    console.log(`${what}: ${before} before, ${now} now, ratio ${(now / before).toFixed(2)}`)
  }
}

function run(root: string, name: string): string {
  return spawnSync(process.execPath, [`bench/${name}.ts`], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).stdout
}
