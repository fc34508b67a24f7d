import { useEffect } from 'react'
import { sessionCodes } from '../shared/errors.ts'
import { queryClient } from './api.ts'
import { basePath } from './base.ts'
import { translate } from './i18n.ts'
import { endSession, token } from './token.ts'
import { topicsOf, topicsOfBlock } from './topics.ts'

/** One event stream per browser: the tab that holds the lock reads it and tells the others. */
const interests = new Map<string, Map<string, number>>()
const channelName = 'huodao-live'
const longest = 60_000

/** Said when a stream begins: what changed while nobody listened is read again. */
const anything = '*'

/** Screens read again at most so often: where a fleet sells, something changes all the time. */
const pace = 1000
let later: Set<string> | undefined

function announce(topics: readonly string[]): void {
  if (later) {
    for (const topic of topics) later.add(topic)
    return
  }
  later = new Set()
  setTimeout(() => {
    const more = later
    later = undefined
    if (more?.size) announce([...more])
  }, pace)
  refresh(topics)
}

function refresh(topics: readonly string[]): void {
  const named = topics.includes(anything) ? [...interests.keys()] : topics
  const paths = new Set(named.flatMap((topic) => [...(interests.get(topic)?.keys() ?? [])]))
  if (paths.size > 0)
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) => typeof path === 'string' && paths.has(path),
    })
}

/** Reads of `paths` refresh when the server announces `topic`. */
export function useLive(topic: string | undefined, paths: readonly string[]): void {
  const key = paths.join(' ')
  useEffect(() => {
    if (!topic) return
    const list = key.split(' ')
    const held = interests.get(topic) ?? new Map<string, number>()
    interests.set(topic, held)
    for (const path of list) held.set(path, (held.get(path) ?? 0) + 1)
    return () => {
      for (const path of list) {
        const left = (held.get(path) ?? 1) - 1
        if (left > 0) held.set(path, left)
        else held.delete(path)
      }
    }
  }, [topic, key])
}

/**
 * Runs as long as the shell is shown and nothing is due. Without the stream everything still works:
 * people press refresh.
 */
export function useLiveStream(wanted: boolean): void {
  useEffect(() => {
    if (!wanted) return
    const stop = new AbortController()
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = (event: MessageEvent<unknown>) => announce(topicsOf(event.data))
    const share = (topics: readonly string[]) => {
      announce(topics)
      channel.postMessage({ topics })
    }
    const lead = () => follow(stop.signal, share)
    if (navigator.locks)
      void navigator.locks
        .request(channelName, { signal: stop.signal }, lead)
        .catch(() => undefined)
    else void lead()
    return () => {
      stop.abort()
      channel.close()
    }
  }, [wanted])
}

async function follow(
  signal: AbortSignal,
  share: (topics: readonly string[]) => void,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    const began = performance.now()
    const known = await readStream(signal, share).catch(() => true)
    if (!known) return
    failures = performance.now() - began > 30_000 ? 0 : failures + 1
    await pause(Math.min(longest, 1000 * 2 ** failures) * (0.5 + Math.random() / 2), signal)
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

/** Ended by somebody else: the page goes without waiting for the next thing its person does. */
async function leave(response: Response): Promise<void> {
  const answer = (await response.json().catch(() => null)) as { code?: unknown } | null
  if (sessionCodes.includes(Number(answer?.code))) endSession(translate('error.session'))
}

/**
 * False when this server has no stream, the session is over or something is due: no use in asking
 * again.
 */
async function readStream(
  signal: AbortSignal,
  share: (topics: readonly string[]) => void,
): Promise<boolean> {
  const response = await fetch(`${basePath()}api/me/events`, {
    headers: { Authorization: token() ?? '', Accept: 'text/event-stream' },
    signal,
  })
  if (response.status === 401) await leave(response)
  if ([401, 403, 404].includes(response.status)) return false
  if (
    !response.ok ||
    !response.body ||
    !response.headers.get('content-type')?.startsWith('text/event-stream')
  )
    return true
  share([anything])
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return true
    const blocks = (held + value).split(/\r?\n\r?\n/)
    held = blocks.pop() ?? ''
    for (const block of blocks) share(topicsOfBlock(block))
  }
}
