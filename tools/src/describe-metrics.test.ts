import { expect, test } from 'vitest'
import { readMetrics } from './describe-metrics.ts'

test('the metrics page gets a metric’s labels, whether in a list, options or a constant', () => {
  const source = `
    const labelNames = ['platform'] as const
    metrics.counter('herald_a_total', 'A.', ['one', 'two'])
    service.metrics.gauge('herald_b', 'B.', { labelNames: ['queue'], collect() { this.set(1) } })
    metrics.histogram('herald_c_seconds', 'C.', { labelNames, buckets: [1] })
    metrics.counter('herald_d_total', 'D.', labelNames)
    metrics.gauge('herald_e', 'E.')
    registry.gauge(name, help)`
  expect(readMetrics('a.ts', source)).toEqual([
    { name: 'herald_a_total', kind: 'counter', help: 'A.', labels: ['one', 'two'] },
    { name: 'herald_b', kind: 'gauge', help: 'B.', labels: ['queue'] },
    { name: 'herald_c_seconds', kind: 'histogram', help: 'C.', labels: ['platform'] },
    { name: 'herald_d_total', kind: 'counter', help: 'D.', labels: ['platform'] },
    { name: 'herald_e', kind: 'gauge', help: 'E.', labels: [] },
  ])
})

test('a metric whose help text or labels cannot be read from its source is reported by name', () => {
  expect(() => readMetrics('a.ts', "metrics.gauge('herald_a', help)")).toThrow('a.ts: help and labels of herald_a')
  expect(() => readMetrics('a.ts', "metrics.counter('herald_a', 'A.', labelsOf(one))")).toThrow('a.ts: help and labels of herald_a')
})
