import { listTags, type TagUses } from '@herald/contracts/calls/audience'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'
import { TagList } from './user-answers.ts'

const nats = await freshNats()
const { url } = await freshDatabase()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: url('gateway'), nats })
const { appId } = await gateway.givenApp()
const get = (path: string, ofApp = appId) => gateway.admin('GET', `/apps/${ofApp}${path}`)

// spec: administration/tags
test('an app’s tags are searched by a name’s beginning in any letter case, and pages list each once', async () => {
  const names = ['City', 'city_2', 'plan', 'plan.since', 'vip']
  const counted: TagUses = {
    tags: names.map((name) => ({ name, type: 'string', users: 30, low: 20, high: 40, values: ['a', 'b'] })),
    ...{ exact: false, sample: 10, users: 300, asOf: '2026-01-01T00:00:00.000Z' },
  }
  peers.answers.set(listTags.subject, () => counted)
  const walk = async (query: string) => {
    const found: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { status, body } = await get(`/tags?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
      expect(status).toBe(200)
      const page = TagList.parse(body)
      expect(page).toMatchObject({ exact: false, sample: 10, users: 300, asOf: counted.asOf })
      found.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor
    }
    return found
  }
  for (const limit of [1, 2, 5, 100]) expect(await walk(`limit=${limit}`)).toEqual(names)
  expect(await walk('q=cI&limit=1')).toEqual(['City', 'city_2'])
  expect(await walk('q=plan.')).toEqual(['plan.since'])
  expect(await walk('q=%25')).toEqual([])

  const refused = await get('/tags?cursor=%20')
  expect([refused.status, refused.body.error?.details?.[0]?.path]).toEqual([422, 'cursor'])
  expect((await get('/tags', newId())).status).toBe(404)
})
