import { afterEach, expect, test, vi } from 'vitest'
import { setBadge } from './badge.ts'
import type { State } from './events.ts'

const page = (subscriptionId?: string) => ({ state: async () => ({ subscriptionId }) as State })
const options = { baseUrl: 'https://push.example.com/', appKey: 'pk_live_a' }
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a page shows a number on its icon after Herald has it, and also where the browser has no badges', async () => {
  const done: unknown[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    done.push([init?.method, url, init?.body])
    return Response.json({})
  })
  vi.stubGlobal('navigator', { setAppBadge: async (badge: number) => void done.push(badge) })
  const asked = ['PATCH', 'https://push.example.com/v1/subscriptions/d1', '{"badge":3}']
  await setBadge(page('d1'), options, 3)
  expect(done).toEqual([asked, 3])
  vi.stubGlobal('navigator', {})
  await setBadge(page('d1'), options, 3)
  expect(done).toEqual([asked, 3, asked])
})

test('a browser that is not subscribed sets no number and says so', async () => {
  const sent = vi.spyOn(globalThis, 'fetch')
  await expect(setBadge(page(), options, 3)).rejects.toMatchObject({ code: 'not_subscribed' })
  expect(sent).not.toHaveBeenCalled()
})
