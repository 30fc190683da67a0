import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ask, askedFor, call } from './call.ts'
import { report } from './report.ts'
import { openStore } from './store.ts'

test('the SDK reads Retry-After as whole seconds or as an HTTP date, and takes any other text for no wait', () => {
  expect(askedFor('0')).toBe(0)
  expect(askedFor('90')).toBe(90_000)
  const inAMinute = new Date(Date.now() + 60_000).toUTCString()
  expect(askedFor(inAMinute)).toBeGreaterThan(58_000)
  expect(askedFor(inAMinute)).toBeLessThanOrEqual(60_000)
  for (const text of ['', '-5', '1.5', '1e3', '0x10', ' 5', '5 s', 'soon', '2099-01-01', 'Foo, 99 Bar 2099 00:00:00 GMT'])
    expect([text, askedFor(text)]).toEqual([text, 0])
})

test('a page gives up an unanswered request within 10 s, a worker a report, which it keeps, within 5 s', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const limit = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => limit.mockRestore())
  const service = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, appKey: 'pk_live_a' }
  // Node has no IndexedDB, so the record stays in memory.
  const store = openStore('/')
  await store((kept) => (kept.service = service))

  const asked = ask(service, 'GET', 'webpush-key').catch((error: Error) => error.name)
  await report(store, ['d/m1', 'd/m2'])
  expect((await store()).reports.map(({ path }) => path)).toEqual(['d/m1', 'd/m2'])
  expect(await asked).toBe('TimeoutError')
  expect(limit.mock.calls).toEqual([[8_000], [5_000]])
})

test('a page sends nothing before the end of a Retry-After', async () => {
  // A rest of years ago has ended for other tests, which share this module.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2020-01-01') })
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const server = createServer((_request, answer) => {
    asked += 1
    if (asked > 1) answer.end('{"is":"answered"}')
    else answer.writeHead(429, { 'retry-after': '60' }).end('{"error":{"code":"rate_limited","message":"later"}}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const service = { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, appKey: 'pk_live_a' }
  const codeOf = () => call(service, 'GET', 'web-push-key').catch((error: { code: string }) => error.code)

  expect([await codeOf(), asked]).toEqual(['rate_limited', 1])
  vi.setSystemTime(new Date('2020-01-01T00:00:59Z'))
  expect([await codeOf(), asked]).toEqual(['rate_limited', 1])
  vi.setSystemTime(new Date('2020-01-01T00:01:01Z'))
  expect([await codeOf(), asked]).toEqual([{ is: 'answered' }, 2])
})
