import { findExternalIds, listOpenPushes, type OpenPush } from '@herald/contracts/calls/audience'
import { listPushes } from '@herald/contracts/calls/tracker'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { beforeEach, expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId } = await gateway.givenApp()

const [campaignId, userId] = [newId(), newId()]
const open = Array.from({ length: 3 }, (): OpenPush => {
  const answered = { code: 'network_error' as const, providerCode: 'NGHTTP2_PROTOCOL_ERROR', nextTryAt: '2026-01-01T00:00:05.000Z' }
  return { campaignId, subscriptionId: newId(), userId, platform: 'android', tries: 2, ...answered, state: 'retry' }
})
const ended = Array.from({ length: 3 }, () => ({ campaignId, userId, subscriptionId: newId(), outcome: 'sent' }))

const pages =
  <Item>(all: readonly Item[]) =>
  (request: unknown) => {
    const { limit, cursor = '0' } = request as { limit: number; cursor?: string }
    const [from, to] = [Number(cursor), Number(cursor) + limit]
    return { items: all.slice(from, to), nextCursor: to < all.length ? String(to) : null }
  }
beforeEach(() => {
  peers.answers.set(listOpenPushes.subject, pages(open))
  peers.answers.set(listPushes.subject, pages(ended))
  peers.answers.set(findExternalIds.subject, () => ({ externalIds: { [userId]: 'ada' } }))
})

const list = async (query: string) => {
  const { status, body } = await gateway.admin('GET', `/apps/${appId}/pushes${query}`)
  expect(status).toBe(200)
  return body as { items: { subscriptionId: string; outcome: string }[]; nextCursor: string | null }
}
const walk = async (query: string) => {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await list(`${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    found.push(...page.items.map(({ subscriptionId }) => subscriptionId))
    cursor = page.nextCursor
  }
  return found
}
const idsOf = (items: readonly { subscriptionId: string }[]) => items.map(({ subscriptionId }) => subscriptionId)
const askedOf = ({ subject }: { subject: string }) => peers.asked.filter((one) => one.subject === subject).map(({ request }) => request)

// spec: administration/pushes
test('an open push is listed with a push’s fields, its provider’s last answer, state and next attempt', async () => {
  const { items } = await list('?outcome=open&limit=1')

  expect(items).toEqual([
    {
      ...{ campaignId, userId, subscriptionId: open[0]?.subscriptionId, platform: 'android', variant: null, outcome: 'open', attempts: 2 },
      ...{ code: 'network_error', providerCode: 'NGHTTP2_PROTOCOL_ERROR', settledAt: null, engagements: [] },
      ...{ state: 'retry', nextTryAt: '2026-01-01T00:00:05.000Z', externalId: 'ada' },
    },
  ])
})

// spec: administration/pushes
test.each([1, 2, 3, 4, 5, 6, 100])('a list of pushes in pages of %i has every push once, open pushes first', async (limit) => {
  expect(await walk(`?limit=${limit}`)).toEqual([...idsOf(open), ...idsOf(ended)])
  expect(await walk(`?outcome=open&limit=${limit}`)).toEqual(idsOf(open))
  expect(await walk(`?outcome=sent&limit=${limit}`)).toEqual(idsOf(ended))
})

test('a push that gets its outcome while the list is made is listed once, with its outcome', async () => {
  const [first] = open
  peers.answers.set(listPushes.subject, pages([{ ...ended[0], subscriptionId: first?.subscriptionId }, ...ended]))

  const { items } = await list('?limit=100')

  expect(idsOf(items)).toEqual([...idsOf(open.slice(1)), first?.subscriptionId, ...idsOf(ended)])
  expect(items.find(({ subscriptionId }) => subscriptionId === first?.subscriptionId)?.outcome).toBe('sent')
})

test('for failed pushes only the tracker is asked; for all pushes audience too, with the same filters', async () => {
  peers.asked.length = 0
  await list('?outcome=failed')
  expect(askedOf(listOpenPushes)).toEqual([])

  await list(`?campaignId=${campaignId}&userId=${userId}&code=timeout`)
  expect(askedOf(listOpenPushes)).toEqual([{ appId, limit: 100, campaignId, userId, code: 'timeout' }])
  expect(askedOf(listPushes).at(-1)).toEqual({ appId, limit: 97, campaignId, userId, code: 'timeout' })
})

// spec: administration/pushes, limits/list-gaps
test('pushes that devices reported as clicked are listed once, with their users; a page reads at most ten times', async () => {
  const clicked = new Set([3, 17, 18, 39])
  const all = Array.from({ length: 40 }, (_, n) => ({
    ...{ campaignId, userId, subscriptionId: newId(), outcome: 'sent' },
    engagements: clicked.has(n) ? ['opened', 'clicked'] : ['opened'],
  }))
  peers.answers.set(listPushes.subject, pages(all))
  const wanted = idsOf(all.filter((_, n) => clicked.has(n)))
  expect(await walk('?reported=clicked&limit=2')).toEqual(wanted)
  expect(await walk('?reported=clicked')).toEqual(wanted)
  expect(await walk('?reported=dismissed&limit=3')).toEqual([])
  expect((await list('?reported=clicked')).items[0]).toMatchObject({ externalId: 'ada', engagements: ['opened', 'clicked'] })

  peers.asked.length = 0
  expect((await list('?reported=dismissed&limit=1')).nextCursor).toBe('10')
  expect([askedOf(listPushes).length, askedOf(listOpenPushes)]).toEqual([10, []])
  const refused = await gateway.admin('GET', `/apps/${appId}/pushes?reported=liked`)
  expect([refused.status, refused.body.error?.details?.[0]?.path]).toEqual([422, 'reported'])
})
