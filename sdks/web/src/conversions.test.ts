import { afterEach, expect, test, vi } from 'vitest'
import { trackConversion } from './conversions.ts'
import type { State } from './events.ts'

const page = (subscriptionId?: string) => ({ state: async () => ({ subscriptionId }) as State })
const options = { baseUrl: 'https://push.example.com/', appKey: 'pk_live_a' }
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('a conversion is reported of this browser’s user, and repeated after a failure with the same time', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 1_000 })
  const asked: { url: string; body: Record<string, unknown> }[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    asked.push({ url: url as string, body: JSON.parse(init?.body as string) as Record<string, unknown> })
    return asked.length === 1
      ? Response.json({ error: { code: 'queue_unavailable', message: '' } }, { status: 503 })
      : Response.json({ id: 'order-17', status: 'counted' })
  })
  expect(await trackConversion(page('d1'), options, { id: 'order-17', name: 'order' })).toEqual({ id: 'order-17', status: 'counted' })
  expect(asked.map(({ url }) => url)).toEqual(Array.from({ length: 2 }, () => 'https://push.example.com/v1/subscriptions/d1/conversions'))
  expect(asked[0]?.body).toEqual({ id: 'order-17', name: 'order', at: expect.stringMatching(/Z$/) })
  expect(asked[1]?.body).toEqual(asked[0]?.body)
})

test('a browser that is not subscribed reports nothing and says so', async () => {
  const sent = vi.spyOn(globalThis, 'fetch')
  await expect(trackConversion(page(), options, { id: 'a', name: 'order' })).rejects.toMatchObject({ code: 'not_subscribed' })
  expect(sent).not.toHaveBeenCalled()
})
