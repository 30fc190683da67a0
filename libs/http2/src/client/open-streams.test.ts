import { expect, test } from 'vitest'
import { randomFrom } from '../testing/random.ts'
import { prepareHead } from './head.ts'
import { OpenStreams } from './open-streams.ts'
import { Stream } from './stream.ts'

const request = { head: prepareHead({ authority: 'a', fields: [] }), path: '/', body: '', timeoutMs: 1_000 }

function givenStream(id: number): Stream {
  const stream = new Stream(request, 0, () => undefined)
  stream.id = id
  return stream
}

test('of 100,000 streams, some of which stay open for long, each is found until it is removed', () => {
  const random = randomFrom(3)
  const [streams, model] = [new OpenStreams(), new Map<number, Stream>()]
  for (let id = 1; id < 200_000; id += 2) {
    const stream = givenStream(id)
    streams.add(stream)
    model.set(id, stream)
    // Up to about 600 streams are open. A stream whose number is a multiple of 999 stays open until the end.
    while (model.size > 10 + ((id >> 7) % 600)) {
      const [closed] = [...model.keys()].slice(random(10)).filter((each) => each % 999 !== 0)
      if (closed === undefined) break
      streams.delete(closed)
      model.delete(closed)
    }
    const asked = 1 + 2 * random(id)
    if (streams.get(asked) !== model.get(asked) || streams.get(id) !== model.get(id) || streams.size !== model.size)
      throw new Error(`stream ${asked} at ${id}`)
  }
  expect(new Set(streams.values())).toEqual(new Set(model.values()))
  expect(model.size).toBeGreaterThan(100)
  for (const id of model.keys()) streams.delete(id)
  streams.delete(1)
  expect([streams.size, streams.values(), streams.has(1)]).toEqual([0, [], false])
})
