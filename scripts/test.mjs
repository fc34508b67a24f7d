// Everything that must hold, group after group; a skipped test counts as red. `--nightly`: the deep
// runs, for hours.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureRuntime, root, run, say } from './lib/runtime.mjs'

await ensureRuntime()

const vitest = (project, ...filters) => ({ vitest: ['--project', project, ...filters] })
/**
 * Order: cheap and likely to fail first. Seconds are the budget of CONTRIBUTING.md; `deep` is what
 * a night adds.
 */
const all = [
  { name: 'check', seconds: 30, command: ['scripts/check.mjs'] },
  // what a busy machine made late once is tried again and named, as in the browser: no race or
  // crash test is
  { name: 'pure', seconds: 20, ...vitest('pure', '--retry=1') },
  // the files of one worker share its modules: reading them anew took a third of the time; a third
  // worker has the time in which others wait
  {
    name: 'unit',
    seconds: 240,
    ...vitest('database', 'src', '--no-isolate', '--retry=1', '--maxWorkers=3'),
  },
  { name: 'components', seconds: 45, browser: true, ...vitest('components', '--retry=1') },
  {
    name: 'conformance',
    seconds: 200,
    deep: { WALL_STEPS: '3000' },
    ...vitest('database', 'test/conformance', '--retry=1'),
  },
  {
    name: 'model',
    seconds: 130,
    env: { T4_SEEDS: '30', MODEL_OPERATIONS: '7000', T17_RUNS: '300', HUGE_DAY_ORDERS: '20000' },
    deep: {
      T4_SEEDS: '1500',
      MODEL_OPERATIONS: '1000000',
      MODEL_MINUTES: '30',
      RACE_REPEATS: '150',
      T17_RUNS: '10000',
      HUGE_DAY_ORDERS: '300000',
    },
    // the long run of money keeps one worker busy; races and machines run beside it
    ...vitest('database', 'test/model', 'src/domains/machines/server/intake.test.ts'),
  },
  {
    name: 'e2e',
    seconds: 400,
    browser: true,
    env: { API_KILLS: '8' },
    deep: { API_KILLS: '200', DATABASE_KILLS: '50' },
    playwright: 'test/e2e',
  },
  { name: 'new domain', deep: {}, nightly: true, command: ['scripts/try-new-domain.mjs'] },
]
const nightly = process.argv.includes('--nightly')
const groups = nightly
  ? all
      .filter(({ deep }) => deep)
      .map((group) => ({ ...group, env: { ...group.env, ...group.deep } }))
  : all.filter((group) => !group.nightly)

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium'

function missingForBrowser() {
  const missing = []
  if (!existsSync(chromium)) missing.push(`Chromium (${chromium}, or its path in CHROMIUM)`)
  const fonts = spawnSync('fc-list', [':lang=zh', 'family'], { encoding: 'utf8' })
  if (!fonts.stdout?.trim()) missing.push('a Chinese font (Debian: fonts-wqy-microhei)')
  return missing.length > 0
    ? `Missing for the browser tests: ${missing.join(' and ')}; ".ci/run" installs both on Debian.`
    : null
}

const inTemporary = async (use) => {
  const folder = mkdtempSync(join(tmpdir(), 'huodao-report-'))
  const file = join(folder, 'report.json')
  const code = await use(file)
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  rmSync(folder, { recursive: true, force: true })
  return { code, report }
}

async function runVitest(filters, env = {}) {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...filters,
    '--reporter=default',
    '--reporter=./scripts/lib/vitestReport.mjs',
  ]
  const { code, report } = await inTemporary((file) =>
    run(process.execPath, args, root, { ...env, ...process.env, TEST_REPORT: file }),
  )
  const found = report ?? { passed: 0, failed: 1, red: ['the run came to no end'], again: [] }
  return code !== 0 && found.failed === 0
    ? { ...found, failed: 1, red: [`the run ended with ${code}`] }
    : found
}

async function runPlaywright(folder, env = {}) {
  const args = [
    'node_modules/@playwright/test/cli.js',
    'test',
    '-c',
    folder,
    '--reporter=list,json',
  ]
  const { code, report } = await inTemporary((file) =>
    run(process.execPath, args, root, {
      ...env,
      ...process.env,
      PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    }),
  )
  const { expected = 0, flaky = 0, unexpected = 0, skipped = 0 } = report?.stats ?? {}
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)]
  const named = (status) =>
    (report?.suites ?? []).flatMap(specs).flatMap((spec) => {
      const tests = spec.tests.filter((test) => test.status === status)
      const errors = tests.flatMap((test) =>
        test.results.flatMap((result) => result.error?.message ?? []),
      )
      return tests.length > 0 ? [`${spec.file} > ${spec.title}\n${errors.join('\n')}`] : []
    })
  const red = [...named('unexpected'), ...named('skipped')]
  return {
    passed: expected + flaky,
    failed: Math.max(unexpected + skipped, code === 0 ? 0 : 1),
    red,
    again: named('flaky'),
  }
}

async function runProgram(command) {
  const code = await run(process.execPath, command, root)
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, red: [], again: [] }
}

function runGroup({ vitest: filters, playwright, command, env }) {
  if (filters) return runVitest(filters, env)
  return playwright ? runPlaywright(playwright, env) : runProgram(command)
}

const wanted = process.argv.slice(2).filter((name) => name !== '--nightly')
const unknown = wanted.filter((name) => !groups.some((group) => group.name === name))
if (unknown.length > 0) {
  say(
    `No such group: ${unknown.join(', ')}. Groups: ${groups.map((group) => group.name).join(', ')}`,
  )
  process.exit(2)
}

const rows = []
for (const group of groups) {
  if (wanted.length > 0 && !wanted.includes(group.name)) continue
  const began = Date.now()
  const missing = group.browser ? missingForBrowser() : null
  say(`\n== ${group.name}`)
  if (missing) say(missing)
  const result = missing
    ? { passed: 0, failed: 1, red: [missing], again: [] }
    : await runGroup(group)
  rows.push({ ...group, ...result, took: (Date.now() - began) / 1000 })
}

/** The end of a run is what is read first, and at times all that is kept of it. */
const told = (mark, lines) => {
  for (const line of lines)
    say(`${mark} ${line.split('\n').slice(0, 12).join('\n    ').slice(0, 1200)}`)
}
for (const { red, again } of rows) {
  told('\nred:', red)
  told('\nonly at the second try:', again)
}

say('')
for (const { name, passed, failed, again, took, seconds } of rows) {
  const counts = `${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed ${took.toFixed(1).padStart(7)} s${nightly ? '' : ` of ${seconds} s`}`
  say(
    `${failed ? '✗' : '✓'} ${name.padEnd(12)} ${counts}${again.length > 0 ? `, ${again.length} only at the second try` : ''}`,
  )
}
const sum = (key) => rows.reduce((total, row) => total + row[key], 0)
say(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') > 0 || rows.length === 0 ? 1 : 0)
