import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useLive } from '../../../web/live.ts'
import type { BoardPlace, BoardSale } from '../boardContract.ts'
import { calmMs, newSales, nextProvince, rotateMs, scaleOf } from './wallRules.ts'

/** How many times as large as its base the wall is. */
export function useFit(box: RefObject<HTMLElement | null>): number {
  const [scale, setScale] = useState(() => scaleOf(innerWidth, innerHeight))
  useEffect(() => {
    const found = box.current
    if (!found) return
    const measure = () => setScale(scaleOf(found.clientWidth, found.clientHeight))
    const observer = new ResizeObserver(measure)
    observer.observe(found)
    measure()
    return () => observer.disconnect()
  }, [box])
  return scale
}

/** Cities where something was sold since the last look, and how often: a ring is drawn anew each time. */
export function useSold(sales: readonly BoardSale[]): ReadonlyMap<string, number> {
  const newest = sales[0]?.at ?? null
  const seen = useRef<string | null>(null)
  const [sold, setSold] = useState<ReadonlyMap<string, number>>(new Map())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sales change with the newest of them
  useEffect(() => {
    const found = newSales(sales, seen.current)
    seen.current = newest
    if (found.length === 0) return
    setSold((before) => {
      const after = new Map<string, number>()
      for (const { city } of found) after.set(city, (before.get(city) ?? 0) + 1)
      return after
    })
  }, [newest])
  return sold
}

const pulse = 'wall/pulse'

/** Calls back some seconds after something changed; nothing is asked while nothing does. */
export function usePulse(on: boolean, again: () => void): void {
  useLive(on ? 'orders' : undefined, [pulse])
  useLive(on ? 'devices' : undefined, [pulse])
  const last = useRef(performance.now())
  const { data } = useQuery<number>({
    queryKey: [pulse],
    enabled: on,
    initialData: 0,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { inline: true },
    queryFn: async ({ signal }) => {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, Math.max(0, last.current + calmMs - performance.now()))
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
      })
      return performance.now()
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the pulse matters
  useEffect(() => {
    if (!on || data <= last.current) return
    last.current = data
    again()
  }, [data])
}

/** Hours and days turn by themselves: once an hour also a wall on which nothing happens reads. */
export function useHourly(on: boolean, again: () => void): void {
  const call = useRef(again)
  call.current = again
  useEffect(() => {
    if (!on) return
    let timer: ReturnType<typeof setTimeout>
    const next = () => {
      // some seconds past it, and not all walls at once
      const wait = 3_600_000 - (Date.now() % 3_600_000) + 2000 + Math.random() * 20_000
      timer = setTimeout(() => {
        call.current()
        next()
      }, wait)
    }
    next()
    return () => clearTimeout(timer)
  }, [on])
}

/** Which province fills the map: one that was pressed, or one after the other, half a minute each. */
export function useRound(places: readonly BoardPlace[]) {
  const [province, setProvince] = useState<string | null>(null)
  const [on, setOn] = useState(false)
  const known = useRef(places)
  known.current = places
  useEffect(() => {
    if (!on) return
    const next = () => setProvince((now) => nextProvince(known.current, now))
    next()
    const timer = setInterval(next, rotateMs)
    return () => clearInterval(timer)
  }, [on])
  const show = (code: string | null) => {
    setOn(false)
    setProvince(code)
  }
  const toggle = () => {
    if (on) setProvince(null)
    setOn(!on)
  }
  return { province, on, show, toggle }
}
