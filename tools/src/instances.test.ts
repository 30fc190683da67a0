import { expect, test } from 'vitest'
import { parseInstances } from './instances.ts'

const oneOfEach = { gateway: 1, audience: 1, campaigns: 1, tracker: 1, webhooks: 1, dispatcher: 1 }

// spec: running/instances
test('a service that HERALD_INSTANCES does not name runs as one process', () => {
  expect(parseInstances(undefined)).toEqual(oneOfEach)
  expect(parseInstances('')).toEqual(oneOfEach)
  expect(parseInstances(' dispatcher=2, audience=0 ')).toEqual({ ...oneOfEach, dispatcher: 2, audience: 0 })
})

test.each([
  ['dispatchr=2', 'names "dispatchr"'],
  ['simulator=2', 'names "simulator"'],
  ['dispatcher', '"dispatcher" must be dispatcher=<number'],
  ['dispatcher=two', '"dispatcher=two" must be dispatcher=<number'],
  ['dispatcher=1000', 'up to 32'],
  ['gateway=0', 'there must be a gateway'],
])('%s is refused with a sentence that says what is wrong', (text, message) => {
  expect(() => parseInstances(text)).toThrow(message)
})
