import { afterEach, expect, test, vi } from 'vitest'
import type { State } from './events.ts'
import { openInbox } from './inbox.ts'

const options = { baseUrl: 'https://push.example.com', appKey: 'pk_live_a' }
const given = (state: Partial<State>, token?: () => string) => openInbox({ state: async () => state as State }, options, token)
function answering(body: unknown, status = 200) {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body: sent, headers }: RequestInit) => {
    asked.push([method, url, sent, (headers as Record<string, string>)['x-identity-token']])
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status })
  })
  return asked
}
afterEach(() => void vi.unstubAllGlobals())

const inbox = 'https://push.example.com/v1/subscriptions/s1/inbox'

test('a page lists, marks and hides what the person was sent; who is logged in is proven by the token', async () => {
  const page = { items: [], unread: 0, nextCursor: null }
  const listed = answering(page)
  expect(await given({ subscriptionId: 's1', loggedIn: true }, () => 'a.b.c').list({ limit: 5, cursor: 'x' })).toEqual(page)
  await given({ subscriptionId: 's1', loggedIn: false }, () => 'a.b.c').list()
  const changed = answering(undefined, 204)
  const guest = given({ subscriptionId: 's1', loggedIn: false })
  await guest.read('all')
  await guest.read(['c1'], false)
  await guest.hide('c1')
  expect([...listed, ...changed]).toEqual([
    ['GET', `${inbox}?limit=5&cursor=x`, null, 'a.b.c'],
    ['GET', `${inbox}?`, null, undefined],
    ['POST', `${inbox}/read`, '{"all":true,"read":true}', undefined],
    ['POST', `${inbox}/read`, '{"ids":["c1"],"read":false}', undefined],
    ['DELETE', `${inbox}/c1`, null, undefined],
  ])
})

test('an inbox is refused while the browser is not registered', async () => {
  const asked = answering({})
  await expect(given({}).list()).rejects.toMatchObject({ code: 'not_ready' })
  expect(asked).toEqual([])
})
