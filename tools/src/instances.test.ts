import { expect, test } from 'vitest'
import { parseInstances, readProcesses } from './instances.ts'

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

// spec: running/one-process
test('HERALD_PROCESSES=1 starts one process with all services; without it each instance of a service is a process', () => {
  expect(readProcesses({ HERALD_PROCESSES: '1' }).processes).toEqual([
    { name: 'server-1', services: ['gateway', 'audience', 'campaigns', 'tracker', 'webhooks', 'dispatcher'] },
  ])
  expect(readProcesses({ HERALD_INSTANCES: 'dispatcher=2' }).processes.map(({ name }) => name)).toEqual([
    'gateway-1',
    'audience-1',
    'campaigns-1',
    'tracker-1',
    'webhooks-1',
    'dispatcher-1',
    'dispatcher-2',
  ])
})

// spec: running/one-process
test('HERALD_INSTANCES beside HERALD_PROCESSES=1, and any other number of processes, is refused with the remedy', () => {
  expect(() => readProcesses({ HERALD_PROCESSES: '1', HERALD_INSTANCES: 'dispatcher=2' })).toThrow('Leave out HERALD_INSTANCES')
  expect(() => readProcesses({ HERALD_PROCESSES: '3' })).toThrow('It must be 1 (one process for all services) or 6')
})
