import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

// Outlives its parent: the closed pipe, not a signal, tells that the parent is gone (SIGKILL
// included).
// Several processes may hold one server: the last one to leave stops it.
// It is told the number of the postmaster, so that it finds it also when the folder with
// postmaster.pid is gone.
const script = `
trap '' INT HUP TERM
cd / && own="$1/huodao/holders/$$" && : > "$own" && echo held
told=
while read -r number; do told=$number; done
rm -f "$own"
line() { cat "/proc/$1/cmdline" 2>/dev/null || ps -o command= -p "$1" 2>/dev/null; }
for file in "$1"/huodao/holders/*; do
  [ -e "$file" ] || continue
  if line "\${file##*/}" | grep -q huodao-keeper; then exit 0; fi
  rm -f "$file"
done
for turn in 1 2 3 4 5; do [ -s "$1/postmaster.pid" ] || [ ! -d "$1" ] && break; sleep 0.1; done
pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
signal=INT
[ -n "$pid" ] || { pid=$told; signal=QUIT; }
alive() { line "$pid" | tr '\\0' ' ' | grep -q "postgres.*$1"; }
[ -n "$pid" ] && alive "$1" || exit 0
kill -$signal "$pid" 2>/dev/null
turn=0
while alive "$1"; do
  sleep 0.05
  turn=$((turn + 1))
  [ $turn = 600 ] && kill -QUIT "$pid" 2>/dev/null
  [ $turn = 800 ] && kill -KILL "$pid" 2>/dev/null && break
done
exit 0
`

export type Keeper = { tell(postmaster: number): void; release(): Promise<void> }

/** Registers this process as a holder of the server in dataDir; resolves when it is registered. */
export async function keep(dataDir: string): Promise<Keeper> {
  let releasing = false
  let postmaster = 0
  let current: ChildProcess
  const start = async () => {
    const child = spawn('/bin/sh', ['-c', script, 'huodao-keeper', dataDir], {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    current = child
    child.once('exit', () => {
      if (!releasing) setTimeout(() => void start().catch(() => {}), 100).unref()
    })
    child.stdin.on('error', () => {})
    if (postmaster) child.stdin.write(`${postmaster}\n`)
    if (!child.stdout) throw new Error('The database keeper has no output.')
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`No keeper for ${dataDir}.`))),
    ])
    child.stdout.destroy()
    child.unref()
    // A pipe of a child is a socket; it must not hold the event loop.
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    return child
  }
  current = await start()
  return {
    tell(pid) {
      postmaster = pid
      current.stdin?.write(`${pid}\n`)
    },
    async release() {
      releasing = true
      const child = current
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      const gone = once(child, 'exit')
      child.stdin?.end()
      await gone
    },
  }
}
