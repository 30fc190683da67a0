import { changeWebhook } from '@herald/contracts/calls/webhooks'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { Config } from './config.ts'
import { startReceiver } from './testing/receiver.ts'
import { givenEvent, givenEvents, givenFailing, givenWaiting, openRig } from './testing/rig.ts'
import { startWebhooks } from './start.ts'

test('the metrics count attempts by result, dropped and waiting events, and the oldest due delivery of endpoints that are on', async () => {
  const rig = await openRig()
  const service = testService('webhooks', Config.parse(rig.environment))
  await startWebhooks(service)
  const receiver = await startReceiver((_one, response) => response.writeHead(_one.path === '/gone' ? 404 : 204).end())
  const [good, gone, full] = [
    await rig.givenWebhook(`${receiver.url}/good`),
    await rig.givenWebhook(`${receiver.url}/gone`),
    await rig.givenWebhook(`${receiver.url}/full`),
  ]
  await givenFailing(rig.db, full.id)
  await givenWaiting(rig.db, full, 99_950)
  await rig.announce([givenEvent(good.appId), givenEvent(gone.appId), ...givenEvents(full.appId, 60)])

  const scrape = async () => (await service.metrics.text()).split('\n').filter((line) => line.startsWith('herald_webhook_'))
  const scraped = (line: string) =>
    until(
      async () => {
        const lines = await scrape()
        if (!lines.includes(line)) throw new Error(lines.join('\n'))
        return true
      },
      { what: line },
    )
  await scraped('herald_webhook_deliveries_total{outcome="delivered"} 1')
  await scraped('herald_webhook_deliveries_total{outcome="refused"} 1')
  await scraped('herald_webhook_dropped_total 10')

  // Events wait for an endpoint that is switched off, whose deliveries do not count as due.
  await rig.gateway.call(changeWebhook, { appId: full.appId, webhookId: full.id, changes: { enabled: false } })
  await rig.db
    .updateTable('deliveries')
    .set({ due_at: sql`now() - interval '1 hour'` })
    .where('endpoint_id', '=', full.id)
    .execute()
  await scraped('herald_webhook_backlog{scope="global"} 100000')
  expect(await scrape()).toContain('herald_webhook_oldest_due_seconds{scope="global"} 0')
})
