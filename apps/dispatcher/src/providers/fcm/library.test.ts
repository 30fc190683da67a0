import { expect, test } from 'vitest'
import { messageOf } from './library.ts'

test('the library gets the message as it was built, except for the ttl, which it wants in milliseconds', () => {
  const wire = {
    token: 't',
    data: { msgId: 'm' },
    android: { priority: 'high', ttl: '60s', collapse_key: 'c', notification: { channel_id: 'x' } },
  }
  const message = messageOf({ body: JSON.stringify({ message: wire }), ttlSeconds: 60 })
  expect(message).toEqual({ ...wire, android: { ...wire.android, ttl: 60_000 } })
})
