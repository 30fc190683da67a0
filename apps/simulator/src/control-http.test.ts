import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenSimulator } from './testing/simulator.ts'

const controlToken = 'the-token-of-the-control-api-0123456789'
const authorization = `Bearer ${controlToken}`
const json = { authorization, 'content-type': 'application/json' }

let simulator: Awaited<ReturnType<typeof givenSimulator>>
beforeAll(async () => {
  simulator = await givenSimulator({ controlToken })
})
afterAll(() => simulator.stop())

/** Calls the control API with exactly these headers; unlike `fetch` this can also set Host. */
const call = (method: string, headers: Record<string, string>, body = '', path = '/faults') =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(`${simulator.addresses.control}${path}`, { method, headers }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode))
    })
    asked.once('error', reject)
    asked.end(body)
  })
const port = () => new URL(simulator.addresses.control).port

// spec: running/simulator-control
test.each([
  ['the token', () => ({ ...json }), 200],
  ['the token, under the name localhost', () => ({ ...json, host: `localhost:${port()}` }), 200],
  ['the token, from its own origin', () => ({ ...json, origin: `http://127.0.0.1:${port()}` }), 200],
  ['no token', () => ({ 'content-type': json['content-type'] }), 401],
  ['another token', () => ({ ...json, authorization: `${authorization}x` }), 401],
  ['a name that was rebound to this machine', () => ({ ...json, host: `attacker.example:${port()}` }), 403],
  ['the origin of another site', () => ({ ...json, origin: 'https://attacker.example' }), 403],
  ['the origin of another port of this machine', () => ({ ...json, origin: 'http://127.0.0.1:3000' }), 403],
  ['the origin of a sandboxed page', () => ({ ...json, origin: 'null' }), 403],
  ['a body as text, which a page of another site may send unasked', () => ({ ...json, 'content-type': 'text/plain' }), 415],
  ['a body of no type', () => ({ authorization }), 415],
])('a change of the simulator with %s is answered by the rules of its control API', async (_, headers, status) => {
  expect(await call('PUT', headers(), '{"latencyMs":0}')).toBe(status)
})

// spec: running/simulator-control
test('a page of another site can read nothing of the simulator, whose pushes and devices it must not see', async () => {
  expect(await call('GET', { host: `attacker.example:${port()}`, authorization })).toBe(403)
  expect(await call('GET', {})).toBe(401)
})

// spec: running/simulator-control
test('the control API takes a body of 1 MiB and refuses a larger one', async () => {
  const text = (size: number) => JSON.stringify({ appKey: 'k', baseUrl: 'here' }).padEnd(size)
  expect(await call('POST', json, text(1024 * 1024), '/crowd')).toBe(400)
  expect(await call('POST', json, text(1024 * 1024 + 1), '/crowd')).toBe(413)
  expect(await call('POST', json, JSON.stringify({ platform: 'web', count: 100_001 }), '/devices')).toBe(400)
})
