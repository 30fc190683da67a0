import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * The measurements of one process, in Prometheus' terms. Names begin with `herald_` and end with their unit; resolve `.labels(…)` once on
 * a hot path (a label object per call is 2 to 6 times slower). A name that is asked for again answers the same metric.
 */
export type Metrics = {
  /** The scrape in Prometheus' text format. */
  text(): Promise<string>
  /** `collect` runs at every scrape, to add what was counted elsewhere since the last one. */
  counter<Label extends string = never>(
    name: `herald_${string}`,
    help: string,
    labelNames?: readonly Label[],
    collect?: (this: Counter<Label>) => void,
  ): Counter<Label>
  /** `collect` runs at every scrape, for what is read instead of counted. */
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
  /** Adds prom-client's own of the whole process (`process_…`, `nodejs_…`): event loop, heap, RSS, GC, CPU. Once per process. */
  watchProcess(): void
}

/** The event loop's delay is sampled this often, milliseconds: at 20 it is 0.3 % of a core of a process that does nothing. */
const loopSampleMs = 50

/** A registry of its own, so that two services in one process (tests) do not meet. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  return {
    text: () => registry.metrics(),
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

/** From 1 ms to a call's longest wait. */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
