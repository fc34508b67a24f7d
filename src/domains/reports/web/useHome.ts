import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { queryClient, useRead } from '../../../web/api.ts'
import { usePreference } from '../../../web/list/usePreference.ts'
import { useLive } from '../../../web/live.ts'
import { isTiming, type Timing } from '../../../web/timings.ts'
import { settings } from '../../settings/contract.ts'
import { reports } from '../contract.ts'

/** A person's own choice, else what the organisation set. */
export function useTiming(): [Timing, (timing: Timing) => void] {
  const [own, choose] = usePreference<Timing | null>('home.refresh', (found) =>
    isTiming(found) ? found : null,
  )
  const { data } = useRead(
    settings.mine,
    {},
    { inline: true, enabled: own === null, staleTime: 300_000 },
  )
  return [own ?? data?.homeRefresh ?? 'm1', choose]
}

const sales = [reports.summary, reports.trend, reports.hotProducts, reports.channels].map(
  (endpoint) => endpoint.path,
)
const machines = [reports.summary, reports.deviceMap, reports.attention].map(
  (endpoint) => endpoint.path,
)
const everything = [...new Set([...sales, ...machines])]

const again = (paths: readonly string[]) =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && paths.includes(path),
  })
export const readAgain = (): Promise<void> => again(everything)

/** A busy fleet announces several times a second; the figures follow at most every ten. */
function useCalmLive(topic: string, paths: readonly string[], on: boolean): void {
  const name = `home/${topic}`
  const last = useRef(performance.now())
  useLive(on ? topic : undefined, [name])
  const { data } = useQuery<number>({
    queryKey: [name],
    enabled: on,
    initialData: 0,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { inline: true },
    queryFn: async ({ signal }) => {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, Math.max(0, last.current + 10_000 - performance.now()))
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
      })
      return performance.now()
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the paths of a topic never change
  useEffect(() => {
    if (!on || data <= last.current) return
    last.current = data
    void again(paths)
  }, [data])
}

/** "Never" means never: then the figures also ignore the live channel. */
export function useHomeLive(on: boolean): void {
  useCalmLive('orders', sales, on)
  useCalmLive('devices', machines, on)
}
