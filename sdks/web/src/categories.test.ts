import { afterEach, expect, test, vi } from 'vitest'
import { openCategories } from './categories.ts'
import type { State } from './events.ts'

const options = { baseUrl: 'https://push.example.com', appKey: 'pk_live_a' }
const offers = { id: 'offers', name: 'Offers', description: null, subscribed: false, locked: false }
const given = (subscriptionId: string | undefined) => openCategories({ state: async () => ({ subscriptionId }) as State }, options)
function answering(body: unknown, status = 200) {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body: sent }: RequestInit) => {
    asked.push([method, url, sent])
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status })
  })
  return asked
}
afterEach(() => void vi.unstubAllGlobals())

test('a page reads and changes the categories of the person, and takes a person out of a push’s category', async () => {
  const asked = answering({ categories: [offers] })
  expect(await given('s1').get()).toEqual([offers])
  expect(await given('s1').set({ offers: false, news: null })).toEqual([offers])
  const left = answering(undefined, 204)
  await given(undefined).leave('a.b')
  expect([...asked, ...left]).toEqual([
    ['GET', 'https://push.example.com/v1/subscriptions/s1/preferences', null],
    ['PATCH', 'https://push.example.com/v1/subscriptions/s1/preferences', '{"categories":{"offers":false,"news":null}}'],
    ['POST', 'https://push.example.com/v1/u/a.b', null],
  ])
})

test('categories are refused while the browser is not registered, and with the error of the API', async () => {
  const asked = answering(
    { error: { code: 'invalid_body', message: 'No.', details: [{ path: 'categories.security', message: 'is locked' }] } },
    422,
  )
  await expect(given(undefined).get()).rejects.toMatchObject({ code: 'not_ready' })
  expect(asked).toEqual([])
  await expect(given('s1').set({ security: false })).rejects.toMatchObject({ code: 'invalid_body', status: 422 })
})
