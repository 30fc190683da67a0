import { mintMessageId } from '@herald/auth/message-id'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { runFuzz } from '@herald/testing/run-fuzz'
import { expect, test } from 'vitest'
import { openApiDocument } from './documents.ts'
import { publicRoutes } from './routes.ts'
import { hmacSecret, startGateway } from '../testing/start-gateway.ts'
import { startPeers } from '../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const app = await gateway.givenApp()
// The route that answers the Web Push key needs these credentials.
await gateway.admin('PUT', `/apps/${app.appId}/providers/webpush`, { subject: 'mailto:ops@shop.example' })
const push = { appId: app.appId, userId: newId(), subscriptionId: newId(), platform: 'ios', variant: '' } as const
const msgIds = Array.from({ length: 20 }, () => mintMessageId(hmacSecret, { ...push, campaignId: newId() }))

/** This many requests are sent, different ones in each run; `npm run fuzz` sends 200,000. */
const count = 8_000
const seed = Math.floor(Math.random() * 1_000_000_000)

test('8,000 random requests made from the public OpenAPI document get only answers that the document promises, and never an internal error', async () => {
  const { asked, failed, failures, seen } = await runFuzz({
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    document: openApiDocument,
    credentials: { ...app, msgIds },
    count,
    seed,
  })

  expect({ seed, failures }).toEqual({ seed, failures: [] })
  expect([asked, failed]).toEqual([count, 0])
  const outcomes = [...seen.keys()]
  // The test proves something only if each route was also asked successfully.
  const untouched = publicRoutes.filter(({ name, status }) => !seen.has(`${name} ${status}`))
  expect(untouched.map(({ name }) => name)).toEqual([])
  // Bodies that are too large (413) are so rare among the random requests that some runs have none; hostile.integration.test.ts sends one.
  for (const status of [400, 401, 403, 404, 405, 415, 422])
    expect([status, outcomes.some((outcome) => outcome.endsWith(` ${status}`))]).toEqual([status, true])
})
