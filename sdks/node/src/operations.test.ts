import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
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

test('the SDK has a method for every operation that a secret key may call, apart from a POST for clients that cannot send a PATCH, and no method for anything else', async () => {
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
