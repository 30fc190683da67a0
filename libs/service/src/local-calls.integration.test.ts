import { call } from '@herald/contracts/call'
import { makeStreams, readApp } from '@herald/contracts/calls/gateway'
import { Fault, notFound } from '@herald/contracts/fault'
import { freshNats } from '@herald/testing/nats'
import { testService } from '@herald/testing/service'
import { until } from '@herald/testing/until'
import { connect } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { openBus } from './bus.ts'
import type { LocalCalls } from './local-calls.ts'
import { activeRequestId, forRequest } from './request-id.ts'

const url = await freshNats()
const appId = 'a'.repeat(24)

/** Opens two services of one process: the gateway, which answers, and audience, which asks. `heard` has the subject of every call that NATS carried. */
async function givenProcess() {
  const local: LocalCalls = new Map()
  const serviceOf = (name: 'gateway' | 'audience') => ({ ...testService(name, { NATS_URL: url }), local })
  const [gatewayService, audienceService] = [serviceOf('gateway'), serviceOf('audience')]
  // The calls of one test must not reach the gateway of another, because both would answer them on NATS.
  onTestFinished(async () => {
    await audienceService.stop()
    await gatewayService.stop()
  })
  const [gateway, audience] = [await openBus(gatewayService), await openBus(audienceService)]
  const observer = await connect({ servers: url })
  onTestFinished(() => observer.close())
  const heard: string[] = []
  observer.subscribe('rpc.>', { callback: (_error, { subject }) => void heard.push(subject) })
  await observer.flush()
  const heardNow = async () => {
    await observer.flush()
    return heard
  }
  return { gateway, audience, gatewayService, audienceService, heardNow }
}

// spec: running/calls-in-a-process
test('a call between one process’s services is answered without NATS, with NATS’ answer and fault', async () => {
  const { gateway, audience, heardNow } = await givenProcess()
  const app = { id: appId, name: 'Shop', missing: undefined }
  gateway.answer(readApp, async (asked) => {
    if (asked.appId !== appId) throw notFound()
    return { app } as never
  })

  const { app: read } = await audience.call(readApp, { appId })
  expect(read).toEqual({ id: appId, name: 'Shop' })
  expect(read).not.toBe(app)
  expect(Object.keys(read ?? {})).not.toContain('missing')
  const refused = await audience.call(readApp, { appId: 'b'.repeat(24) }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Fault)
  expect(refused).toMatchObject({ code: 'not_found' })
  expect(await heardNow()).toEqual([])
})

test('inside a process contract-breaking and too large requests and answers are refused as between processes', async () => {
  const { gateway, audience } = await givenProcess()
  gateway.answer(readApp, () => Promise.resolve({ app: { name: 'x'.repeat(3_000_001) } } as never))

  await expect(audience.call(readApp, { appId: 7 as never })).rejects.toMatchObject({ code: 'internal' })
  await expect(audience.call(readApp, { appId: 'x'.repeat(3_000_001) })).rejects.toMatchObject({ code: 'internal' })
  await expect(audience.call(readApp, { appId })).rejects.toMatchObject({ code: 'internal' })
})

// spec: running/calls-in-a-process
test('inside a process a service may make only the calls that NATS would allow it', async () => {
  const { gateway, audience } = await givenProcess()
  let asked = 0
  gateway.answer(provideSecret, () => {
    asked += 1
    return Promise.resolve({ secret: 'x' })
  })

  await expect(audience.call(provideSecret, {})).rejects.toMatchObject({ code: 'queue_unavailable' })
  expect(asked).toBe(0)
})

// spec: running/calls-in-a-process
test('inside a process a service can have missing streams made, as it can over NATS', async () => {
  const { audience } = await givenProcess()
  await expect(audience.call(makeStreams, {})).resolves.toEqual({})
})
const provideSecret = call<{ secret: string }>()('rpc.gateway.test-secret', z.object({}))

test('inside a process a call that is not answered within its time limit fails as queue_unavailable', async () => {
  const { gateway, audience } = await givenProcess()
  const { promise, resolve } = Promise.withResolvers<{ app: null }>()
  onTestFinished(() => resolve({ app: null }))
  gateway.answer(readApp, () => promise)
  const startedAt = performance.now()

  await expect(audience.call({ ...readApp, timeoutMs: 200 }, { appId })).rejects.toMatchObject({ code: 'queue_unavailable' })
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('inside a process the answering service works for the HTTP request of the caller', async () => {
  const { gateway, audience } = await givenProcess()
  const seen: (string | undefined)[] = []
  gateway.answer(readApp, async () => {
    seen.push(activeRequestId())
    return { app: null }
  })

  await forRequest('request-1', () => audience.call(readApp, { appId }))
  expect(seen).toEqual(['request-1'])
})

test('when the service of the same process has stopped, a call goes to another process', async () => {
  const { gateway, audience, gatewayService } = await givenProcess()
  gateway.answer(readApp, () => Promise.resolve({ app: null }))
  const other = await openBus(testService('gateway', { NATS_URL: url }))
  other.answer(readApp, () => Promise.resolve({ app: { id: appId, name: 'Other' } } as never))

  await gatewayService.stop()
  // The server may not have heard yet that the other process answers, and because of the observer it does not say that nobody does.
  const answer = await until(() => audience.call({ ...readApp, timeoutMs: 500 }, { appId }))
  expect(answer).toMatchObject({ app: { name: 'Other' } })
})
