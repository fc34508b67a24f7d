import client from 'prom-client'
import type { App } from './context.ts'

const registries = new WeakMap<App, client.Registry>()

/** The figures of this process: what Prometheus scrapes and what the server page shows come from one place. */
export function metricsOf(app: App): client.Registry {
  let registry = registries.get(app)
  if (!registry) {
    registry = new client.Registry()
    client.collectDefaultMetrics({ register: registry })
    registries.set(app, registry)
  }
  return registry
}

/** One number of a metric by name, summed over its labels; `keep` chooses among them. */
export function sumOf(
  metrics: Awaited<ReturnType<client.Registry['getMetricsAsJSON']>>,
  name: string,
  keep: (labels: Readonly<Record<string, string | number | undefined>>, metricName: string) => boolean = () => true,
): number {
  const values = metrics.find((metric) => metric.name === name)?.values ?? []
  return values.reduce((sum, value) => sum + (keep(value.labels, (value as { metricName?: string }).metricName ?? name) ? value.value : 0), 0)
}
