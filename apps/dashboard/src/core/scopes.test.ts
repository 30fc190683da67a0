import { readFileSync } from 'node:fs'
import { scopes } from '@herald/contracts/administration'
import { expect, test } from 'vitest'
import { operationsByScope, scopeTexts } from './scopes.ts'

const document: unknown = JSON.parse(readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'))

// spec: limits/scopes, dashboard/key-scopes
test('every scope of a key allows operations of the API, and has a text on the page', () => {
  const opened = operationsByScope(document, 'secret')
  expect([...opened.keys()].toSorted()).toEqual([...scopes].toSorted())
  expect(Object.keys(scopeTexts).toSorted()).toEqual([...scopes].toSorted())
  expect(opened.get('notifications:send')).toContainEqual({
    method: 'POST',
    path: '/v1/notifications',
    summary: 'Send a notification',
  })
  expect(opened.get('campaigns:read')?.find(({ path }) => path.endsWith('/breakdown'))?.summary).toMatch(/; needs users:read too$/)
})

test('a public key allows only the operations on devices', () => {
  const opened = operationsByScope(document, 'public')
  expect([...opened.keys()]).toEqual(['subscriptions:write'])
  expect(opened.get('subscriptions:write')?.some(({ path }) => path === '/v1/notifications')).toBe(false)
})

test('an OpenAPI document without scopes allows no operation', () => {
  expect(operationsByScope(undefined, 'secret').size).toBe(0)
  expect(operationsByScope({ paths: { '/x': { get: { summary: 'free' } } } }, 'secret').size).toBe(0)
})
