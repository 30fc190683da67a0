import { createServer, type Server } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { givenSimulator, makeJwt, post, seconds } from './testing/simulator.ts'

type Device = { id: string; name: string | null; byHand: boolean; subscriptionId: string | null; behaviour: { answer: string } }
type Page = { devices: Device[]; next: string | null }
type Pushes = { pushes: { seq: number; deviceId: string; subscriptionId: string | null }[]; last: number; dropped: number }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
let session: ClientHttp2Session
let authorization: string
let herald: Server
let baseUrl: string
let reported: string[] = []

const bundleId = 'com.example.app'
const send = (token: string, msgId: string) =>
  post(
    session,
    `/3/device/${token}`,
    { authorization, 'apns-topic': bundleId },
    JSON.stringify({ aps: { alert: 'Hello' }, herald: { msgId } }),
  )
const make = async (wanted: object) =>
  (await simulator.ask<{ devices: { id: string; token: string }[] }>('POST', '/devices', { platform: 'ios', bundleId, ...wanted })).devices
const hand = (name = 'Phone') => ({ hand: { name, reportTo: `${baseUrl}/` } })

beforeAll(async () => {
  simulator = await givenSimulator()
  const account = { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId }
  const { privateKey } = await simulator.ask<{ privateKey: string }>('POST', '/accounts', account)
  await simulator.ask('POST', '/accounts', { ...account, keyId: 'KEY2', bundleId: 'com.example.other' })
  authorization = `bearer ${makeJwt('ES256', privateKey, { iss: 'TEAM', iat: seconds() }, { kid: 'KEY' })}`
  session = simulator.session(simulator.addresses.apns)
  herald = createServer((message, response) => {
    reported.push(message.url ?? '')
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => herald.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(herald.address() as AddressInfo).port}`
})
afterAll(() => {
  herald.close()
  herald.closeAllConnections()
  simulator.stop()
})
beforeEach(async () => {
  await simulator.ask('POST', '/reset')
  reported = []
})

test('a device that an operator uses reports only that it showed a push, whatever the crowd reports', async () => {
  const [held] = await make(hand())
  const [crowd] = await make({})
  await simulator.ask('PUT', '/crowd/reports', { baseUrl, delivered: 1, opened: 1, clicked: 1 })
  await send(held?.token ?? '', 'held')
  await send(crowd?.token ?? '', 'crowd')
  await expect.poll(() => reported.toSorted()).toEqual(['/v1/e/c/crowd', '/v1/e/d/crowd', '/v1/e/d/held', '/v1/e/o/crowd'])
  await simulator.ask('DELETE', '/crowd/reports')
  await send(held?.token ?? '', 'later')
  await expect.poll(() => reported.at(-1)).toBe('/v1/e/d/later')
})

test('the list of devices has those that the account reaches, without tokens: used ones first, each newest first', async () => {
  const [crowd, other, held, second] = [
    await make({ count: 2 }),
    await make({ bundleId: 'com.example.other' }),
    await make(hand('One')),
    await make(hand('')),
  ]
  const ids: string[] = []
  let next: string | null = null
  do {
    const page: Page = await simulator.ask<Page>('GET', `/devices?bundleId=${bundleId}&limit=1${next === null ? '' : `&after=${next}`}`)
    ids.push(...page.devices.map(({ id }) => id))
    next = page.next
  } while (next !== null)
  const wanted = [second[0]?.id, held[0]?.id]
  expect(ids.slice(0, 2)).toEqual(wanted)
  expect(ids.filter((id) => crowd.some((device) => device.id === id))).toEqual(crowd.map(({ id }) => id).toReversed())
  expect(ids).not.toContain(other[0]?.id)
  expect(new Set(ids).size).toBe(ids.length)
  const { devices } = await simulator.ask<Page>('GET', `/devices?bundleId=${bundleId}&limit=2`)
  expect(devices.map(({ name, byHand }) => [name, byHand])).toEqual([
    [null, true],
    ['One', true],
  ])
  expect(JSON.stringify(devices)).not.toContain(held[0]?.token)
  expect((await simulator.ask<Page>('GET', '/devices')).devices).toEqual([])
})

test('pushes are listed newest first; a later page gets the newest since, and how many were left out', async () => {
  const [device, another] = await make({ ...hand(), count: 2 })
  await simulator.ask('PUT', `/devices/${device?.id}/subscription`, { subscriptionId: 'sub-1' })
  for (let n = 1; n <= 6; n++) await send((n % 3 === 0 ? another : device)?.token ?? '', `m${n}`)

  const newest = async (query: string) =>
    (await simulator.ask<Pushes>('GET', `/pushes/newest?bundleId=${bundleId}${query}`)).pushes.map(({ seq }) => seq)
  expect(await newest('')).toEqual([6, 5, 4, 3, 2, 1])
  expect(await newest('&limit=2')).toEqual([6, 5])
  expect(await newest('&limit=2&before=5')).toEqual([4, 3])
  expect(await newest(`&deviceId=${another?.id}`)).toEqual([6, 3])
  expect(await newest('&before=1')).toEqual([])

  const tail = (query: string) => simulator.ask<Pushes>('GET', `/pushes/tail?bundleId=${bundleId}${query}`)
  expect(await tail('')).toEqual({ pushes: [], last: 6, dropped: 0 })
  const after = await tail('&after=2&limit=3')
  expect([after.pushes.map(({ seq }) => seq), after.last, after.dropped]).toEqual([[4, 5, 6], 6, 1])
  expect(after.pushes.map(({ subscriptionId }) => subscriptionId)).toEqual(['sub-1', 'sub-1', null])
  expect(await tail('&after=6')).toMatchObject({ pushes: [], dropped: 0 })
  expect(await tail('&after=0&limit=0')).toMatchObject({ pushes: [], dropped: 6 })
  // After a reset a number from before it counts as 0.
  await simulator.ask('POST', '/reset')
  await send(device?.token ?? '', 'again')
  expect((await tail('&after=6')).pushes).toHaveLength(1)
})

test('a device whose app was removed is not listed, also after a restart; the other keeps name and subscription', async () => {
  const statePath = join(simulator.certificate.directory, 'hands.jsonl')
  const first = await givenSimulator({ statePath })
  await first.ask('POST', '/accounts', { kind: 'apns', teamId: 'TEAM', keyId: 'KEY', bundleId })
  const made = (await first.ask<{ devices: { id: string }[] }>('POST', '/devices', { platform: 'ios', count: 2, ...hand('Kept') })).devices
  const [kept = { id: '' }, gone = { id: '' }] = made
  await first.ask('PUT', `/devices/${kept.id}/subscription`, { subscriptionId: 'sub-2' })
  await first.ask('DELETE', `/devices/${gone.id}`)
  const listOf = async (one: typeof first) => (await one.ask<Page>('GET', `/devices?bundleId=${bundleId}`)).devices
  const before = await listOf(first)
  first.stop()
  const second = await givenSimulator({ statePath })
  const after = await listOf(second)
  second.stop()
  expect(before).toMatchObject([{ id: kept.id, name: 'Kept', byHand: true, subscriptionId: 'sub-2', behaviour: { answer: 'ok' } }])
  expect(after).toEqual(before)
})
