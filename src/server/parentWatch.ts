import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What a main tells `start` once it listens. */
export type Ready = { type: 'ready' }

/**
 * Ends this process when the one that started it is gone, even by SIGKILL: first gracefully, then
 * after 10 s by force. Does nothing when the process was started by hand (no channel to a parent).
 */
export function exitWithParent() {
  if (!process.channel) return
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref()
    process.kill(process.pid, 'SIGTERM')
  })
  process.channel.unref()
}

/** Tells `start` that this process serves. Without a parent it does nothing. */
export function reportReady() {
  const message: Ready = { type: 'ready' }
  if (process.channel) process.send?.(message)
}

/**
 * Calls back when the npm command above this process is gone, however it ended: npm killed by force
 * tells nobody, and between npm and us is a shell that would stay. Without npm it does nothing: a
 * shell may end before us.
 */
export function whenNpmEnds(gone: () => void) {
  if (!process.env.npm_lifecycle_event) return
  const chain = [process.ppid]
  while (chain.length < 5 && !/\bnpm\b/.test(look(chain.at(-1) ?? 0).command))
    chain.push(look(chain.at(-1) ?? 0).parent)
  if (chain.length === 5) return
  const timer = setInterval(() => {
    const whole = chain.every(
      (pid, index) => (index === 0 ? process.ppid : look(chain[index - 1] ?? 0).parent) === pid,
    )
    if (whole) return
    clearInterval(timer)
    gone()
  }, 1000)
  timer.unref()
}

function look(pid: number): { parent: number; command: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    // The shell's own command line names the script, never npm; npm calls itself "npm start".
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '' }
  } catch {
    const [parent = '0', command = ''] = (
      spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
    )
      .trim()
      .split(/\s+/)
    return { parent: Number(parent), command }
  }
}
