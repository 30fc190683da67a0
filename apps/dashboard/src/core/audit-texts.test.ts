import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actionWords, auditGroups, auditHead, auditRow, subjectParts } from './audit-texts.ts'

const http = new URL('../../../gateway/src/http/', import.meta.url)

/** Of the whole platform: no app's audit has them. */
const ofNoApp = ['session.', 'sign-in-link.']

test('each action that the gateway writes down for an app can be found by a filter of the page', () => {
  const source = readdirSync(http)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, http), 'utf8'))
    .join('\n')
  const actions = [...source.matchAll(/(?:own|elsewhere|exporting)\(\s*'([a-z-]+\.[a-z-]+)'/g)].map(([, action = '']) => action)
  expect(actions.length).toBeGreaterThan(20)
  const missing = actions.filter(
    (action) => ![...ofNoApp, ...auditGroups.map(({ value }) => value)].some((group) => action.startsWith(group)),
  )
  expect(missing).toEqual([])
})

test('an action reads as words', () => {
  expect(actionWords('campaign.winner-picked')).toBe('campaign: winner picked')
  expect(actionWords('identity-secret.made')).toBe('identity secret: made')
  expect(actionWords('odd')).toBe('odd')
})

test('the details of an entry are shown as names and texts', () => {
  expect(subjectParts({ id: 'a', scopes: ['x', 'y'], count: 3, deep: { a: 1 } })).toEqual([
    { name: 'id', text: 'a' },
    { name: 'scopes', text: 'x, y' },
    { name: 'count', text: '3' },
    { name: 'deep', text: '{"a":1}' },
  ])
})

test('a row of the CSV has a cell for each column', () => {
  const row = auditRow({
    id: 'i',
    createdAt: '2026-01-01T00:00:00.000Z',
    actor: 'Dana',
    action: 'key.created',
    subject: { keyId: 'k' },
    requestId: null,
  })
  expect(row).toEqual(['2026-01-01T00:00:00.000Z', 'Dana', 'key.created', '{"keyId":"k"}', '', 'i'])
  expect(row).toHaveLength(auditHead.length)
})
