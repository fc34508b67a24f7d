import { href } from '../../../web/base.ts'
import { topicsOfBlock } from '../../../web/topics.ts'
import type { Board } from '../boardContract.ts'
import { workbenchErrors } from '../rules.ts'
import { calmMs } from './wallRules.ts'

type Change = { board?: Board; late?: boolean; over?: boolean }

/** Between two looks at a link that is over. */
const deadMs = 60_000

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        done()
      },
      { once: true },
    )
  })

/**
 * Keeps a wall up to date by its code: reads when the stream says that something changed, at most
 * every few seconds; while the stream is lost every half minute. A link that is over is asked for once
 * a minute: a switched-off account may come back, and nobody stands beside a television to reload it.
 */
export async function follow(
  code: string,
  signal: AbortSignal,
  tell: (change: Change) => void,
): Promise<void> {
  const ask = (path: string) =>
    fetch(href(path), { headers: { Authorization: code }, cache: 'no-store', signal })
  // what is no code is never sent
  if (!/^[\w-]{43}$/.test(code)) return tell({ over: true })
  let over = false
  /** Said by us, not by a proxy that is being set up. */
  const ends = async (response: Response) => {
    if (response.status !== 404) return false
    const said = (await response.json().catch(() => null)) as { error?: unknown } | null
    if (said?.error !== workbenchErrors.linkOver.name) return false
    over = true
    tell({ over: true })
    return true
  }
  let lookedAt = Number.NEGATIVE_INFINITY
  const look = async (late: boolean) => {
    lookedAt = performance.now()
    try {
      const response = await ask('/api/screen/board')
      if (await ends(response)) return
      if (!response.ok) throw new Error(String(response.status))
      tell({ board: (await response.json()) as Board, late, over: false })
    } catch {
      if (!signal.aborted) tell({ late: true })
    }
  }
  /** Until the stream ends; one read at a time, and what changes meanwhile is read after it. */
  const listen = async () => {
    const response = await ask('/api/screen/events')
    if ((await ends(response)) || !response.ok || !response.body) return
    await look(false)
    let due: Promise<void> | null = null
    let more = false
    const soon = () => {
      more = due !== null
      due ??= pause(Math.max(0, lookedAt + calmMs - performance.now()), signal)
        .then(() => look(false))
        .finally(() => {
          due = null
          if (more && !signal.aborted) soon()
        })
    }
    const hourly = setInterval(soon, 3_600_000)
    try {
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let held = ''
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        const blocks = (held + value).split(/\r?\n\r?\n/)
        held = blocks.pop() ?? ''
        if (blocks.some((block) => topicsOfBlock(block).length > 0)) soon()
      }
    } finally {
      clearInterval(hourly)
    }
  }
  while (!signal.aborted) {
    await listen().catch(() => undefined)
    if (signal.aborted) return
    if (over) {
      await pause(deadMs, signal)
      over = false
      continue
    }
    // a stream that ends at once, at a restart, is asked for again before anything is late
    await pause(500 + Math.random() * 1500, signal)
    await look(true)
    await pause(26_000, signal)
  }
}
