import { Herald } from '@herald/node'
import { expect, test } from 'vitest'
import { watchEvents } from './event-stream.ts'
import { givenHerald } from './testing/given-herald.ts'

test('a stream of events that Herald refuses for now is opened again when Retry-After says so, and not earlier', async () => {
  const stop = new AbortController()
  const asked: number[] = []
  const { url } = await givenHerald({
    'GET /app/events'(_request, response) {
      asked.push(performance.now())
      if (asked.length > 1) stop.abort()
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '2' })
      response.end(JSON.stringify({ error: { code: 'rate_limited', message: 'Later.' } }))
    },
  })

  await watchEvents(new Herald({ baseUrl: url, key: 'sk_live_a_b' }), '/app', { event: () => undefined }, stop.signal)

  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(1_900)
})
