// Adds the optional packages of other platforms that a registry mirror withheld to
// package-lock.json: without them
// "npm ci" refuses the lock on every machine. Run by hand after "npm install"; a complete lock
// stays as it is.
import { readFileSync, writeFileSync } from 'node:fs'

const systems = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  linuxmusl: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  aix: 'aix',
  win32: 'win32',
  windows: 'win32',
}
const processors = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
]
const synonyms = { gnueabihf: 'arm', musleabihf: 'arm', eabi: 'arm' }

const path = 'package-lock.json'
const lock = JSON.parse(readFileSync(path, 'utf8'))
const added = []
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (found(owner, name) || !/^\d+\.\d+\.\d+/.test(range)) continue
    const words = name.toLowerCase().split(/[/.-]/)
    const os = words.map((word) => systems[word]).find(Boolean)
    const cpu = words
      .map((word) => synonyms[word] ?? word)
      .find((word) => processors.includes(word))
    lock.packages[`node_modules/${name}`] = {
      version: range,
      ...(cpu && { cpu: [cpu] }),
      ...(entry.dev && { dev: true }),
      optional: true,
      ...(os && { os: [os] }),
    }
    added.push(name)
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
)
if (added.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(
  `${added.length} entries added to ${path}: ${added.join(', ') || 'it is complete'}\n`,
)

function found(owner, name) {
  for (
    let folder = owner;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    if (lock.packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true
    if (!folder) return false
  }
}
