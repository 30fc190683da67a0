import { expect, test } from 'vitest'
import { openMetrics, textOfAll } from './metrics.ts'

// spec: running/observed
test('the metrics of services of one process are told apart by the label `service`, and each name is described once', async () => {
  const ofProcess = openMetrics()
  ofProcess.watchProcess()
  const services = ['audience', 'tracker'].map((name) => openMetrics(name))
  for (const [index, metrics] of services.entries()) {
    metrics
      .counter('herald_test_total', 'A test.', ['result'])
      .labels('good')
      .inc(index + 1)
    metrics.histogram('herald_test_seconds', 'A test.', { buckets: [1] }).observe(0.5)
  }

  const text = await textOfAll([ofProcess, ...services])
  const lines = text.split('\n')
  expect(lines).toContain('herald_test_total{result="good",service="audience"} 1')
  expect(lines).toContain('herald_test_total{result="good",service="tracker"} 2')
  expect(lines).toContain('herald_test_seconds_bucket{le="1",service="tracker"} 1')
  expect(lines.filter((line) => line.startsWith('# HELP herald_test_total'))).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('process_resident_memory_bytes '))).toHaveLength(1)
})
