import { type ApiDocument } from '@herald/testing/fuzz-requests'
import { http } from '@herald/testing/herald'
import { runFuzz } from '@herald/testing/run-fuzz'
import { givenTenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { givenDevices, pushesOf, textOf, untilSettled } from './campaigns.ts'

const herald = await sharedPlatform()

/** This many requests are sent, different ones in each run; `npm run fuzz` sends 200,000. */
const count = 10_000
const seed = Math.floor(Math.random() * 1_000_000_000)

// spec: limits/document
test('10,000 random requests made from the public OpenAPI document get only answers that the document promises', async () => {
  const tenant = await givenTenant(herald)
  await givenDevices(tenant, 'android', 5)
  const sent = await tenant.call<{ id: string }>('POST', '/v1/notifications', { target: { all: true }, content: textOf('Hello') })
  await untilSettled(tenant, sent.body.id)
  const msgIds = (await pushesOf(tenant, sent.body.id)).flatMap(({ msgId }) => msgId ?? [])
  const { body: document } = await http<ApiDocument>('GET', `${herald.baseUrl}/openapi.json`)

  const { asked, failed, failures, seen } = await runFuzz({
    baseUrl: herald.baseUrl,
    document,
    credentials: { ...tenant, msgIds },
    count,
    seed,
  })

  expect({ seed, failures }).toEqual({ seed, failures: [] })
  expect([asked, failed]).toEqual([count, 0])
  // The test proves something only if most operations were also asked successfully. Some succeed a few times only, as sending a draft that still exists.
  const outcomes = [...seen.keys()]
  const operations = Object.values(document.paths ?? {}).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
  )
  const succeeded = operations.filter((name) => outcomes.some((outcome) => outcome.startsWith(`${name} 2`)))
  expect(succeeded.length).toBeGreaterThan(operations.length * 0.8)
  // Bodies that are too large (413) are so rare among the random requests that some runs have none; hostile.integration.test.ts sends one.
  for (const status of [400, 401, 403, 404, 405, 409, 415, 422])
    expect([status, outcomes.some((outcome) => outcome.endsWith(` ${status}`))]).toEqual([status, true])
})
