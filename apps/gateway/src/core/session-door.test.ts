import { expect, test } from 'vitest'
import { csrfTokenOf, foreignProblem, sessionCookie, sessionIdOf, sessionProblem } from './session-door.ts'

const id = 'A'.repeat(43)
const from = { method: 'GET', secFetchSite: undefined, origin: undefined, host: 'push.example:8080', baseUrl: undefined }

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  [`__Host-herald=${id}`, id],
  [`theme=dark; __Host-herald=${id}; other=1`, id],
  [`__Host-herald=${id.slice(1)}`, undefined],
  [`__Host-herald=${id}x`, undefined],
  [`__Host-herald="${id}"`, undefined],
  [`x__Host-herald=${id}`, undefined],
  [`herald=${id}`, undefined],
  // Of two cookies with this name the first counts. Browsers send the cookie with the more specific path first, and a __Host- cookie can only have
  // the path `/`.
  [`__Host-herald=wrong; __Host-herald=${id}`, undefined],
])('a request with the cookies %j has the session %j', (cookies, session) => {
  expect(sessionIdOf(cookies)).toBe(session)
})

test('the cookie that a sign-in sets is read back as the session of later requests', () => {
  expect(sessionIdOf(sessionCookie(id).split(';')[0])).toBe(id)
})

test.each<[origin: string, host: string, baseUrl: string | undefined, ours: boolean]>([
  ['http://push.example:8080', 'push.example:8080', undefined, true],
  ['https://push.example:8080', 'push.example:8080', undefined, true],
  ['https://push.example', 'Push.Example', undefined, true],
  ['https://push.example.evil.example', 'push.example', undefined, false],
  ['https://evil.example', 'push.example', 'https://push.example', false],
  ['https://push.example', 'gateway:8080', 'https://push.example/', true],
  ['http://push.example', 'gateway:8080', 'https://push.example', false],
  ['null', 'push.example', undefined, false],
  ['', 'push.example', undefined, false],
])('a request from the origin %j to the host %j with the base URL %j comes from the dashboard: %j', (origin, host, baseUrl, ours) => {
  expect(foreignProblem({ ...from, origin, host, baseUrl }) === undefined).toBe(ours)
})

test('a change needs the CSRF token of its own session, and a read needs none', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(sessionProblem({ ...from, method }, id, undefined)).toBeUndefined()
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(sessionProblem({ ...from, method }, id, csrfTokenOf(id))).toBeUndefined()
    expect(sessionProblem({ ...from, method }, id, csrfTokenOf('B'.repeat(43)))).toContain('x-csrf-token')
    expect(sessionProblem({ ...from, method }, id, undefined)).toContain('x-csrf-token')
  }
})
