import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { EventStream, whileSignedIn, type EventSink } from './event-stream.ts'

function givenSink() {
  const said: string[] = []
  const sink: EventSink = {
    event: (name) => void said.push(name),
    events: (name) => void said.push(name),
    isBlocked: () => false,
    comment: (text) => void said.push(text),
    end: () => void said.push('end'),
  }
  return { sink, said }
}

// spec: administration/session-ends
test('an event stream ends with its operator’s session, goes on without the database, and stops checking when closed', async () => {
  const { sink, said } = givenSink()
  let stopped = 0
  let asked = 0
  let answer: () => Promise<boolean> = async () => true
  const stream = new EventStream((to) => {
    to.event('begins', {})
    return () => (stopped += 1)
  })
  const lasts = () => {
    asked += 1
    return answer()
  }
  const stop = whileSignedIn(stream, lasts, 1).start(sink)
  await until(() => asked > 2)
  answer = () => Promise.reject(new Error('the database is away'))
  const before = asked
  await until(() => asked > before + 2)
  expect(said).toEqual(['begins'])

  answer = async () => false
  await until(() => said.includes('end'))
  stop()
  expect(stopped).toBe(1)
  const left = asked
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toBe(left)
})
