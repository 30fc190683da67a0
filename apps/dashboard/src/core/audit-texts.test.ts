import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actionWords, auditGroups, auditHead, auditRow, csvCell, csvOf, subjectParts } from './audit-texts.ts'

const gateway = new URL('../../../gateway/src/', import.meta.url)

/** Actions that concern no single app, so that no app's audit contains them. */
const ofNoApp = ['session.', 'sign-in-link.']

test("every action that the gateway records in an app's audit can be found with a filter of the audit page", () => {
  const source = readdirSync(gateway, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(new URL(name, gateway), 'utf8'))
    .join('\n')
  const actions = [...source.matchAll(/(?:own|elsewhere|exporting)\(\s*'([a-z-]+\.[a-z-]+)'/g)].map(([, action = '']) => action)
  expect(actions.length).toBeGreaterThan(20)
  const missing = actions.filter(
    (action) => ![...ofNoApp, ...auditGroups.map(({ value }) => value)].some((group) => action.startsWith(group)),
  )
  expect(missing).toEqual([])
})

test('the audit page shows an action in words', () => {
  expect(actionWords('campaign.winner-picked')).toBe('campaign: winner picked')
  expect(actionWords('identity-secret.made')).toBe('identity secret: made')
  expect(actionWords('holdout.redrawn')).toBe('control group: reset')
  expect(actionWords('picture.added')).toBe('image: added')
  expect(actionWords('odd')).toBe('odd')
})

test('the details of an audit entry are shown as pairs of a name and a text', () => {
  expect(subjectParts({ id: 'a', scopes: ['x', 'y'], count: 3, deep: { a: 1 } })).toEqual([
    { name: 'id', text: 'a' },
    { name: 'scopes', text: 'x, y' },
    { name: 'count', text: '3' },
    { name: 'deep', text: '{"a":1}' },
  ])
})

test("a row of the audit's CSV has a cell for each column", () => {
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

// spec: dashboard/audit-csv
test('a spreadsheet that opens a CSV does not run a cell that begins like a formula', () => {
  expect(['=1+1', '+1', '-1', '@a', '\tx', 'plain'].map(csvCell)).toEqual(["'=1+1", "'+1", "'-1", "'@a", "'\tx", 'plain'])
})

test('quotes, commas and line breaks stay within their cell of a CSV', () => {
  expect(
    csvOf(
      ['a', 'b'],
      [
        ['x,y', 'say "hi"'],
        ['two\nlines', ''],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n')
})
