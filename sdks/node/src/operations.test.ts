import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Herald } from './herald.ts'

type Operation = { operationId: string; security?: Record<string, unknown>[] }
type Document = { paths: Record<string, Record<string, Operation>> }

const document = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, security = [] }]) => ({
    operationId,
    method: method.toUpperCase(),
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    literals: path.replaceAll(/\{[^}]+\}/g, '').length,
    opensWithSecretKey: security.some((scheme) => 'secretKey' in scheme),
  })),
)
/** Operations without a method in the SDK: `changeOwnerByPost` does what `changeOwner` does, for clients that cannot send a PATCH. */
const twice = ['changeOwnerByPost']

/** Gives the id of the operation that a request calls. When several paths match, the one with the most literal text counts. */
const operationOf = (method: string, path: string) =>
  operations
    .filter((operation) => operation.method === method && operation.pattern.test(path))
    .toSorted((one, other) => other.literals - one.literals)[0]?.operationId ?? `none: ${method} ${path}`

test('the SDK has a method for every secret key’s operation but PATCH’s POST form, and no other', async () => {
  const asked: string[] = []
  const herald = new Herald({
    baseUrl: 'http://127.0.0.1',
    key: 'sk_live_test',
    retries: 0,
    fetch: (input, init) => {
      asked.push(operationOf(init?.method ?? '', new URL(input instanceof Request ? input.url : input).pathname))
      return Promise.resolve(Response.json({ items: [], segments: [], templates: [], results: [], nextCursor: null, status: 'sent' }))
    },
  })
  const { notifications, campaigns, segments, templates, users, subscriptions, conversions, liveActivities } = herald
  const methods = Object.entries({
    notifications,
    campaigns,
    segments,
    templates,
    users,
    subscriptions,
    conversions,
    liveActivities,
  }).flatMap(([resource, all]) =>
    Object.entries(all as Record<string, (...given: unknown[]) => unknown>).map(([name, method]) => ({
      name: `${resource}.${name}`,
      method,
    })),
  )

  for (const { name, method } of methods) {
    for (const who of name.startsWith('users.') && !/Many$/.test(name) ? [{ id: 'a' }, { externalId: 'a' }] : [undefined]) {
      const before = asked.length
      const given = name === 'users.upsertMany' ? [[{ externalId: 'a' }]] : /\.(list)$/.test(name) ? [{}] : [who ?? 'a', 'b']
      const answer = method(...(name === 'users.updateMany' ? [[]] : given))
      if (name.endsWith('.list')) for await (const _ of answer as AsyncIterable<unknown>);
      else await answer
      expect([name, asked.length > before]).toEqual([name, true])
    }
  }
  await herald.webPushKey()

  expect(asked.filter((operation) => operation.startsWith('none'))).toEqual([])
  const wanted = operations.filter(({ opensWithSecretKey }) => opensWithSecretKey).map(({ operationId }) => operationId)
  expect([...new Set(asked)].toSorted()).toEqual(wanted.filter((operation) => !twice.includes(operation)).toSorted())
})

test('inside one’s own network HERALD_ALLOW_HTTP=1 lets the SDK speak plain http, unless the program says allowHttp: false', () => {
  vi.stubEnv('HERALD_ALLOW_HTTP', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const options = { baseUrl: 'http://herald.internal', key: 'sk_live_671a2b3c4d5e6f7081920a06_x' }
  expect(new Herald(options)).toBeInstanceOf(Herald)
  expect(() => new Herald({ ...options, allowHttp: false })).toThrow('HERALD_ALLOW_HTTP=1')
})
