import { serialize, type Push } from '@herald/contracts/payload'
import { providerOf } from '@herald/contracts/app'
import { platforms, type Platform } from '@herald/contracts/platform'
import { expect, test } from 'vitest'
import { providers } from './providers.ts'

const entry = {
  title: 'Shipped',
  body: 'On its way',
  url: 'https://shop.example/17',
  image: 'https://shop.example/17.png',
  actions: [
    { id: 'track', title: 'Track it', url: 'https://shop.example/track' },
    { id: 'later', title: 'Later' },
  ],
}
const send: Push['send'] = {
  campaignId: 'c'.repeat(24),
  silent: false,
  data: { order: '17' },
  collapseId: null,
  priority: 'high',
  presentation: { badge: 3, sound: 'chime' },
}
const payloadOf = (platform: (typeof platforms)[number], push: Partial<Push>) =>
  JSON.parse(serialize(platform, { msgId: 'a.b', entry, send, ...push }, 'token', 60)) as unknown

const readPayload = (platform: Platform, payload: unknown) => providers[providerOf[platform]].readPayload(payload)

test.each(platforms)('a virtual device of %s shows what was sent to it', (platform) => {
  const { shown, data } = readPayload(platform, payloadOf(platform, {}))
  const sound = platform === 'web' ? null : 'chime'
  const [track, later] = entry.actions
  expect(shown).toEqual({ ...entry, actions: [track, { ...later, url: null }], badge: 3, sound })
  expect(data).toEqual({ order: '17' })
})

test.each(['ios', 'android'] as const)(
  'a silent push shows nothing on a virtual device of %s, and the device gets the data of the push',
  (platform) => {
    expect(readPayload(platform, payloadOf(platform, { send: { ...send, silent: true } }))).toEqual({ shown: null, data: { order: '17' } })
  },
)

test('a payload is shown complete, except the token inside FCM’s message', () => {
  expect(JSON.stringify(payloadOf('android', {}))).toContain('"token"')
  const shown = providers.fcm.withoutToken?.(payloadOf('android', {})) as { message: { token: string } }
  expect(shown).toEqual({ message: { ...(payloadOf('android', {}) as typeof shown).message, token: '…oken' } })
  expect(providers.fcm.withoutToken?.({ message: { fid: 'cP9fTq0dR2e1Gh3JkLmN0p', data: {} } })).toEqual({
    message: { fid: '…mN0p', data: {} },
  })
  expect(providers.fcm.withoutToken?.(null)).toBeNull()
  for (const platform of ['ios', 'web'] as const) expect(JSON.stringify(payloadOf(platform, {}))).not.toContain('"token"')
})

test.each(platforms)('a payload for %s that Herald did not make is read without an error', (platform) => {
  for (const payload of [null, undefined, 'text', 7, [], { aps: 'x', message: [], data: 5, actions: 'x' }, { aps: { alert: 'Hello' } }])
    expect(() => readPayload(platform, payload)).not.toThrow()
})
