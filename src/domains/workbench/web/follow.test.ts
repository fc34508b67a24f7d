import { afterEach, expect, test, vi } from 'vitest'
import { follow } from './follow.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a wall whose link was over for a time shows its figures again, and asks once a minute', async () => {
  vi.useFakeTimers()
  let over = true
  const asked: string[] = []
  vi.stubGlobal('document', { querySelector: () => null })
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path)
    if (over) return Response.json({ error: 'workbench.linkOver' }, { status: 404 })
    return path.endsWith('board')
      ? Response.json({ name: 'wall' })
      : new Response(new ReadableStream())
  })
  const stop = new AbortController()
  let state = {}
  const done = follow('a'.repeat(43), stop.signal, (change) => {
    state = { ...state, ...change }
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(state).toEqual({ over: true })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toHaveLength(2)
  over = false
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state).toMatchObject({ over: false, late: false, board: { name: 'wall' } })
  stop.abort()
  void done
})

test('what is no code is never sent', async () => {
  const fetched = vi.fn()
  vi.stubGlobal('fetch', fetched)
  const told: object[] = []
  await follow('no code', new AbortController().signal, (change) => told.push(change))
  expect(told).toEqual([{ over: true }])
  expect(fetched).not.toHaveBeenCalled()
})
