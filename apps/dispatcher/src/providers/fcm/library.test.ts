import { expect, test } from 'vitest'
import { messageOf } from './library.ts'

test('the message is handed over as it was built, but for the ttl, which the library wants in milliseconds', () => {
  const wire = {
    token: 't',
    data: { msgId: 'm' },
    android: { priority: 'high', ttl: '60s', collapse_key: 'c', notification: { channel_id: 'x' } },
  }
  const message = messageOf({ body: JSON.stringify({ message: wire }), ttlSeconds: 60 })
  expect(message).toEqual({ ...wire, android: { ...wire.android, ttl: 60_000 } })
})
