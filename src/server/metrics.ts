import client from 'prom-client'
import { perApp } from './perApp.ts'

/**
 * The figures of this process: what Prometheus scrapes and what the server page shows come from one
 * place.
 */
export const metricsOf = perApp((): client.Registry => {
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  return registry
})

/** One number of a metric by name, summed over its labels; `keep` chooses among them. */
export function sumOf(
  metrics: Awaited<ReturnType<client.Registry['getMetricsAsJSON']>>,
  name: string,
  keep: (
    labels: Readonly<Record<string, string | number | undefined>>,
    metricName: string,
  ) => boolean = () => true,
): number {
  const values = metrics.find((metric) => metric.name === name)?.values ?? []
  return values.reduce(
    (sum, value) =>
      sum +
      (keep(value.labels, (value as { metricName?: string }).metricName ?? name) ? value.value : 0),
    0,
  )
}
