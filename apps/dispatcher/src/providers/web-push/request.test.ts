import { expect, test } from 'vitest'
import { emptyPush, type Push } from '../provider.ts'
import { headersOf } from './request.ts'

const headersTo = (host: string, change: Partial<Push>) => {
  const address = `https://${host}/w/?token=abc`
  return Object.fromEntries(
    headersOf({ ...emptyPush, address, body: '', ...change }, new URL(address)).map(([name, value]) => [name, value]),
  )
}

// spec: sending/collapse-id
test('a web push has a Topic only when its send has a collapseId', () => {
  expect(headersTo('fcm.googleapis.com', { ttlSeconds: 60 })).toEqual({ ttl: '60', urgency: 'normal' })
  expect(headersTo('fcm.googleapis.com', { ttlSeconds: 60, collapseId: 'order-17' })).toHaveProperty('topic', 'order-17')
})

// spec: sending/priority
test('a web push of a normal, passive send may wait for a browser that saves its battery', () => {
  const urgency = (change: Partial<Push>) => headersTo('fcm.googleapis.com', change)['urgency']
  expect(urgency({ priority: 'normal', passive: true })).toBe('low')
  expect(urgency({ priority: 'normal', passive: false })).toBe('normal')
  expect(urgency({ priority: 'high', passive: true })).toBe('high')
})

// spec: sending/windows-ttl-zero
test.each<[host: string, ttlSeconds: number, policy: string | undefined]>([
  ['wns2-par02p.notify.windows.com', 0, 'no-cache'],
  ['WNS2-pn1p.notify.windows.com.', 0, 'no-cache'],
  ['wns2-par02p.notify.windows.com:8443', 0, 'no-cache'],
  ['wns2-par02p.notify.windows.com', 1, undefined],
  ['wns2-par02p.notify.windows.com', 2_419_200, undefined],
  ['fcm.googleapis.com', 0, undefined],
  ['notify.windows.com.example.org', 0, undefined],
  ['xnotify.windows.com', 0, undefined],
])('a push to %s with a ttl of %d has the cache policy %s', (host, ttlSeconds, policy) => {
  expect(headersTo(host, { ttlSeconds })['x-wns-cache-policy']).toBe(policy)
})
