import { databaseUnavailable, queueUnavailable } from '@herald/contracts/fault'
import { fanOutWork } from '@herald/contracts/topology'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { openBus } from './bus.ts'

// spec: running/locked-row
test('a message whose work fails 30 times is dropped, and one that only waits for the database is not', { timeout: 120_000 }, async () => {
  const service = testService('audience', { NATS_URL: await freshNats() })
  const audience = await openBus(service)
  const tries = { failing: 0, waiting: 0 }
  let isAway = true
  audience.consume(fanOutWork, { atOnce: 4 }, async ({ page }) => {
    if (page === 1) {
      tries.failing += 1
      throw queueUnavailable()
    }
    tries.waiting += 1
    if (isAway) throw databaseUnavailable()
  })
  for (const page of [1, 2]) await audience.publish('work.fan-out', { campaignId: 'd'.repeat(24), page }, String(page))

  const ended = (result: string) => async () => (await service.metrics.text()).includes(`result="${result}"} 1\n`)
  await until(ended('terminated'), { what: 'the message dropped', withinMs: 100_000 })
  await until(() => tries.waiting > 30, { what: 'the other one delivered again', withinMs: 10_000 })
  isAway = false
  await until(ended('acked'), { what: 'the other one acknowledged' })
  expect(tries.failing).toBe(30)
})
