import { mintMessageId } from '@herald/auth/message-id'
import { newId } from '@herald/contracts/ids'
import { freshDatabase } from '@herald/testing/database'
import { freshNats } from '@herald/testing/nats'
import { expect, test } from 'vitest'
import { hmacSecret, startGateway } from '../../testing/start-gateway.ts'
import { startPeers } from '../../testing/start-peers.ts'

const nats = await freshNats()
const peers = await startPeers(nats)
const gateway = await startGateway({ database: (await freshDatabase()).url('gateway'), nats })
const push = { appId: newId(), campaignId: newId(), userId: newId(), subscriptionId: newId(), platform: 'web', variant: '' } as const
const msgId = mintMessageId(hmacSecret, push)

const reported = async (query: string) => {
  peers.tracked.length = 0
  expect((await gateway.ask({ method: 'POST', path: `/v1/e/c/${msgId}${query}` })).status).toBe(204)
  return peers.tracked.flat()
}

// spec: tracking/action
test.each([['?action=track'], ['?action=A-z_0.9'], [`?action=${'a'.repeat(64)}`], ['?other=1&action=track']])(
  'a device’s report with the query %s reaches the tracker with its action',
  async (query) => {
    const action = new URLSearchParams(query).get('action')
    expect(await reported(query)).toEqual([{ kind: 'clicked', ...push, action }])
  },
)

// spec: tracking/action
test.each([
  [''],
  ['?'],
  ['?action='],
  [`?action=${'a'.repeat(65)}`],
  ['?action=a%20b'],
  ['?action=%3Cscript%3E'],
  ['?action=a&action=b'],
  ['?action=%'],
  ['?action=%00'],
  ['?other=1'],
  ['?__proto__=1'],
])('a device’s report with the query %j reaches the tracker without an action', async (query) => {
  expect(await reported(query)).toEqual([{ kind: 'clicked', ...push }])
})
