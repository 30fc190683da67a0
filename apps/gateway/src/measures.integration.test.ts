import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { startGateway } from './testing/start-gateway.ts'
import { startPeers } from './testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats }, { EVENT_RATE_LIMIT: '1' })
const { appId, secretKey } = await gateway.givenApp()

test('the metrics count requests by route and status, times by route, refusals by rate limit, without ids', async () => {
  const id = newId()
  await gateway.ask({ path: `/v1/campaigns/${id}/stats`, headers: { authorization: `Bearer ${secretKey}` } })
  for (const _ of Array(3)) await gateway.ask({ method: 'POST', path: `/v1/e/o/${id}` })
  await gateway.ask({ path: `/${id}` })

  const text = await until(async () => {
    const scrape = await gateway.metrics()
    return scrape.includes('route="unknown"') && scrape
  })
  for (const line of [
    'herald_http_requests_total{route="readCampaignStats",status="404"} 1',
    'herald_http_requests_total{route="createApp",status="201"} 1',
    'herald_http_requests_total{route="unknown",status="404"} 1',
    'herald_http_request_seconds_count{route="readCampaignStats"} 1',
  ])
    expect(text).toContain(`${line}\n`)
  expect(text).toMatch(/herald_rate_limited_total\{bucket="event"\} [23]\n/)
  for (const secret of [id, appId, secretKey]) expect(text).not.toContain(secret)
})
