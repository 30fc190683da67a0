import { openMetrics } from '@herald/service/metrics'
import { expect, test } from 'vitest'
import { openMeasures } from './measures.ts'

test('the metrics show what became of pushes, how long providers take, and how much is in work', async () => {
  const metrics = openMetrics()
  const now = { window: { held: 3 }, jobs: { inWork: 1 } }
  const measures = openMeasures(metrics, now)
  for (const _ of Array(2)) measures.became('ios', 'sent', '')
  measures.became('web', 'retried', 'provider_unavailable')
  measures.answered('ios', 0.03)
  measures.firstTried('web', 0.3)
  measures.unknownAnswer('android')
  now.window.held = 7

  const text = await metrics.text()

  for (const line of [
    'herald_pushes_total{platform="ios",outcome="sent",code=""} 2',
    'herald_pushes_total{platform="web",outcome="retried",code="provider_unavailable"} 1',
    'herald_provider_seconds_bucket{le="0.025",platform="ios"} 0',
    'herald_provider_seconds_bucket{le="0.05",platform="ios"} 1',
    'herald_first_try_seconds_bucket{le="0.25",platform="web"} 0',
    'herald_first_try_seconds_bucket{le="0.5",platform="web"} 1',
    'herald_unknown_answers_total{platform="android"} 1',
    'herald_dispatch_window_held 7',
    'herald_batches_in_work 1',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})
