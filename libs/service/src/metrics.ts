import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type MetricObject } from 'prom-client'

/**
 * The metrics of one service, in Prometheus' terms. Names begin with `herald_` and end with the unit. Code that runs often should store the result of
 * `.labels(…)`: a new label object costs 2 to 6 times as much.
 */
export type Metrics = {
  /** Gives all metrics in Prometheus' text format. */
  text(): Promise<string>
  /** Gives all metrics as prom-client joins them (`textOfAll`). */
  values(): Promise<MetricObject[]>
  /** Makes a counter. `collect` runs at every scrape, to add what was counted elsewhere since the last scrape. */
  counter<Label extends string = never>(
    name: `herald_${string}`,
    help: string,
    labelNames?: readonly Label[],
    collect?: (this: Counter<Label>) => void,
  ): Counter<Label>
  /** Makes a gauge. `collect` runs at every scrape, for a value that is read and not counted. */
  gauge<Label extends string = never>(
    name: `herald_${string}`,
    help: string,
    options?: { labelNames?: readonly Label[]; collect?: (this: Gauge<Label>) => void | Promise<void> },
  ): Gauge<Label>
  histogram<Label extends string = never>(
    name: `herald_${string}`,
    help: string,
    options: { labelNames?: readonly Label[]; buckets: number[] },
  ): Histogram<Label>
  /** Adds prom-client's metrics of the whole process (`process_…`, `nodejs_…`): event loop, heap, RSS, GC, CPU. To be called once per process. */
  watchProcess(): void
}

/**
 * The event loop's delay is measured this often. It is not measured more often, because every 20 ms would take 0.3 % of a core even in an idle
 * process.
 */
const loopSampleMs = 50

/**
 * Makes a registry of metrics. Services of one process have one each; there each metric gets the label `service`. Alone in its process a service needs
 * no label.
 */
export function openMetrics(service?: string): Metrics {
  const registry = new Registry()
  if (service !== undefined) registry.setDefaultLabels({ service })
  const registers = [registry]
  return {
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    counter: <Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[] = [],
      collect?: (this: Counter<Label>) => void,
    ) =>
      (registry.getSingleMetric(name) as Counter<Label> | undefined) ??
      new Counter({ name, help, labelNames: [...labelNames], registers, ...(collect ? { collect } : {}) }),
    gauge: <Label extends string>(
      name: string,
      help: string,
      { labelNames = [], collect }: { labelNames?: readonly Label[]; collect?: (this: Gauge<Label>) => void | Promise<void> } = {},
    ) =>
      (registry.getSingleMetric(name) as Gauge<Label> | undefined) ??
      new Gauge({ name, help, labelNames: [...labelNames], registers, ...(collect ? { collect } : {}) }),
    histogram: <Label extends string>(
      name: string,
      help: string,
      { labelNames = [], buckets }: { labelNames?: readonly Label[]; buckets: number[] },
    ) =>
      (registry.getSingleMetric(name) as Histogram<Label> | undefined) ??
      new Histogram({ name, help, labelNames: [...labelNames], buckets, registers }),
    watchProcess: () => collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs }),
  }
}

/** Gives the metrics of a process and then of its services as one text, with each name described once. */
export async function textOfAll([ofProcess, ...services]: readonly Metrics[]): Promise<string> {
  const joined = AggregatorRegistry.aggregate(await Promise.all(services.map((metrics) => metrics.values())))
  return `${await ofProcess?.text()}\n${await joined.metrics()}`
}

export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
