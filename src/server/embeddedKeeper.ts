import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

// Outlives its parent: the closed pipe, not a signal, tells that the parent is gone (SIGKILL included).
// Several processes may hold one server: the last one to leave stops it.
const script = `
trap '' INT HUP TERM
cd / && own="$1/huodao/holders/$$" && : > "$own" && echo held
cat > /dev/null
rm -f "$own"
line() { cat "/proc/$1/cmdline" 2>/dev/null || ps -o command= -p "$1" 2>/dev/null; }
for file in "$1"/huodao/holders/*; do
  [ -e "$file" ] || continue
  if line "\${file##*/}" | grep -q huodao-keeper; then exit 0; fi
  rm -f "$file"
done
for turn in 1 2 3 4 5; do [ -s "$1/postmaster.pid" ] && break; sleep 0.1; done
pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null)
[ -n "$pid" ] && line "$pid" | grep -q postgres || exit 0
kill -INT "$pid" 2>/dev/null
turn=0
while [ -e "$1/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null; do
  sleep 0.05
  turn=$((turn + 1))
  [ $turn = 600 ] && kill -QUIT "$pid" 2>/dev/null
  [ $turn = 800 ] && kill -KILL "$pid" 2>/dev/null && break
done
exit 0
`

export type Keeper = { release(): Promise<void> }

/** Registers this process as a holder of the server in dataDir; resolves when it is registered. */
export async function keep(dataDir: string): Promise<Keeper> {
  let releasing = false
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
    if (!child.stdout) throw new Error('The database keeper has no output.')
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => Promise.reject(new Error(`No keeper for ${dataDir}.`)))])
    child.stdout.destroy()
    child.unref()
    // A pipe of a child is a socket; it must not hold the event loop.
    if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    return child
  }
  current = await start()
  return {
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
