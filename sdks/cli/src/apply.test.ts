import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from './main.ts'
import { givenHerald } from './testing/given-herald.ts'
import { givenTerminal } from './testing/given-terminal.ts'

const app = '671a2b3c4d5e6f7081920a06'
const path = `/v1/admin/apps/${app}`
const settings = { defaultTimezone: 'Europe/Berlin', frequencyCap: null, quietHours: null, identityVerification: 'off' }
const content = (title: string) => ({ _default: 'en', en: { title, body: 'There' } })
const unset = {
  description: null,
  data: null,
  presentation: null,
  overrides: null,
  category: null,
  sendRate: null,
  ttl: null,
  collapseId: null,
  priority: null,
  silent: null,
}
const ofHerald = (id: string, name: string, title: string) => ({ ...unset, id, name, content: content(title), useCount: 3, createdAt: 'x' })
const endpoint = (id: string, more: object) => ({
  ...{ id, url: 'https://a.example/x', description: null, eventTypes: ['*'], enabled: true, disabledReason: null, secretHint: 'abcd' },
  ...more,
})

const present = {
  [`GET ${path}`]: { body: { id: app, name: 'Shop', settings } },
  [`GET ${path}/categories`]: {
    body: {
      items: [
        ...[{ id: 'security', name: 'Security', description: null, default: 'in', locked: true, presentation: null, createdAt: 'x' }],
        ...[{ id: 'offers', name: 'Offers', description: null, default: 'out', locked: false, presentation: { channelId: 'loud' } }],
      ],
      nextCursor: null,
    },
  },
  [`GET ${path}/segments`]: {
    body: {
      items: [{ id: 's1', name: 'VIPs', description: null, definition: { field: 'country', op: 'eq', value: 'DE' } }],
      nextCursor: null,
    },
  },
  [`GET ${path}/templates`]: { body: { items: [ofHerald('t2', 'B', 'Two'), ofHerald('t1', 'A', 'One')], nextCursor: null } },
  [`GET ${path}/webhooks`]: {
    body: { items: [endpoint('w1', {}), endpoint('w2', { enabled: false, disabledReason: 'consecutive_failures' })], nextCursor: null },
  },
}

/** Gives a directory with a herald.yaml, and runs `herald` with it. */
async function given(answers: Parameters<typeof givenHerald>[0], yaml = '', typed: string[] = []) {
  const directory = mkdtempSync(join(tmpdir(), 'herald-apply-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'herald.yaml')
  writeFileSync(file, yaml)
  const { url, asked } = await givenHerald({ ...present, ...answers })
  const terminal = givenTerminal({ env: { HERALD_URL: url, HERALD_TOKEN: `ak_live_${app}_x` }, answers: typed })
  const written = () => asked.filter(({ method }) => method !== 'GET')
  return { file, terminal, written, herald: (name: string, ...more: string[]) => main([name, file, ...more], terminal) }
}

// spec: content/by-locale
test('`herald apply` finds no difference in a template whose file has the locales under one key', async () => {
  const { written, herald } = await given({}, 'templates: [{name: A, content: {default: EN, locales: {en: {title: One, body: There}}}}]\n')
  expect(await herald('apply', '--dry-run')).toBe(0)
  expect(written()).toEqual([])
})

test('`herald pull` writes an app by names, without Herald’s own; a second pull and apply find no difference', async () => {
  const { file, terminal, written, herald } = await given({})
  expect(await herald('pull')).toBe(0)
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n'),
  ).toBe(`
categories:
  - id: offers
    name: Offers
    default: out
    presentation:
      channelId: loud
  - id: security
    name: Security
    default: in
    locked: true
segments:
  - name: VIPs
    definition:
      field: country
      op: eq
      value: DE
templates:
  - name: A
    content:
      _default: en
      en:
        body: There
        title: One
  - name: B
    content:
      _default: en
      en:
        body: There
        title: Two
webhooks:
  - url: https://a.example/x
  - url: https://a.example/x
settings:
  defaultTimezone: Europe/Berlin
  frequencyCap: null
  quietHours: null
  identityVerification: "off"
`)
  expect(await herald('pull')).toBe(0)
  expect(terminal.said.at(-1)).toContain('Nothing has changed')
  expect(await herald('apply', '--dry-run', '--prune')).toBe(0)
  expect(await herald('apply')).toBe(0)
  expect(written()).toEqual([])
})

const changed = `
templates:
  - name: A
    content: {_default: en, en: {title: "One\\u001b[2J", body: There}, pt_br: {title: x, body: y}}
  - name: C
    content: {_default: en, en: {title: Three, body: There}}
webhooks:
  - url: https://b.example
    enabled: false
settings:
  quietHours: {start: "22:00", end: "08:00", action: hold}
`

test('`herald apply --dry-run` shows each difference, changes nothing and exits 2; nothing is deleted without --prune', async () => {
  const { terminal, written, herald } = await given({}, changed)
  expect(await herald('apply', '--dry-run')).toBe(2)
  expect(terminal.printed).toEqual([
    '~ settings',
    '    quietHours: null → {"start":"22:00","end":"08:00","action":"hold"}',
    '~ templates: A',
    '    content.en.title: "One" → "One\\u001b[2J"',
    '    content.pt-BR: (absent) → {"body":"y","title":"x"}',
    '+ templates: C',
    '+ webhooks: https://b.example',
  ])
  expect(terminal.said.join('\n')).toContain('3 in Herald that the file does not name stay')
  expect(await herald('apply', '--dry-run', '--prune')).toBe(2)
  expect(terminal.printed.filter((line) => line.startsWith('- '))).toEqual([
    '- templates: B',
    '- webhooks: https://a.example/x',
    '- webhooks: https://a.example/x',
  ])
  expect(written()).toEqual([])
})

test('`herald apply` asks before it changes anything, and a script must say --yes', async () => {
  const script = await given({}, changed)
  expect(await script.herald('apply')).toBe(2)
  const person = await given({}, changed, ['no'])
  expect(await person.herald('apply')).toBe(2)
  expect([...script.written(), ...person.written()]).toEqual([])
})

test('`herald apply --prune --yes` changes, adds, then deletes, and switches a new endpoint off that is to be', async () => {
  const { written, herald } = await given(
    {
      [`PATCH ${path}`]: { body: {} },
      [`PUT ${path}/templates/t1`]: { body: {} },
      [`POST ${path}/templates`]: { status: 201, body: { id: 't3' } },
      [`POST ${path}/webhooks`]: { status: 201, body: { id: 'w3', secret: 'whsec_planted' } },
      [`PATCH ${path}/webhooks/w3`]: { body: {} },
      [`DELETE ${path}/templates/t2`]: { body: {} },
      [`DELETE ${path}/webhooks/w1`]: { body: {} },
    },
    changed,
  )
  expect(await herald('apply', '--prune', '--yes')).toBe(0)
  // The endpoint w2 is gone already, and Herald answers 404 for it.
  expect(written().map(({ method, path: at }) => `${method} ${at.slice(path.length)}`)).toEqual([
    'PATCH ',
    'PUT /templates/t1',
    'POST /templates',
    'POST /webhooks',
    'PATCH /webhooks/w3',
    'DELETE /templates/t2',
    'DELETE /webhooks/w1',
    'DELETE /webhooks/w2',
  ])
})

test('when a change fails midway, `herald apply` says what was applied, which entry failed and why, and exits 1', async () => {
  const details = [{ path: 'content.en.title', message: 'must not be blank' }]
  const { terminal, written, herald } = await given(
    {
      [`PATCH ${path}`]: { body: {} },
      [`PUT ${path}/templates/t1`]: { body: {} },
      [`POST ${path}/templates`]: { status: 422, body: { error: { code: 'invalid_body', message: 'No.', details } } },
    },
    changed,
  )
  expect(await herald('apply', '--yes')).toBe(1)
  expect(terminal.said.slice(-6)).toEqual([
    'Applied 2 of 4 changes:',
    '  ~ settings',
    '  ~ templates: A',
    'Not applied: + templates: C (templates[1] of the file), and what follows it. The same command goes on from there.',
    expect.stringContaining('No. (invalid_body'),
    '  content.en.title: must not be blank',
  ])
  expect(written()).toHaveLength(3)
})

test('`herald apply` makes categories before templates that name them, and with --prune deletes what is left out', async () => {
  const yaml = `
categories:
  - {id: news, name: News, default: in}
  - {id: offers, name: Sales, default: out}
templates:
  - {name: A, content: {_default: en, en: {title: One, body: There}}, category: news}
`
  const { written, herald } = await given(
    {
      [`POST ${path}/categories`]: { status: 201, body: { id: 'news' } },
      [`PUT ${path}/categories/offers`]: { body: {} },
      [`PUT ${path}/templates/t1`]: { body: {} },
      [`DELETE ${path}/categories/security`]: { status: 204, body: undefined },
      [`DELETE ${path}/templates/t2`]: { status: 204, body: undefined },
    },
    yaml,
  )
  expect(await herald('apply', '--yes', '--prune')).toBe(0)
  expect(written().map(({ method, path: to, body }) => [method, to.replace(path, ''), body === '' ? undefined : JSON.parse(body)])).toEqual(
    [
      ['POST', '/categories', { id: 'news', name: 'News', default: 'in' }],
      ['PUT', '/categories/offers', { name: 'Sales', default: 'out' }],
      ['PUT', '/templates/t1', expect.objectContaining({ category: 'news' })],
      ['DELETE', '/categories/security', undefined],
      ['DELETE', '/templates/t2', undefined],
    ],
  )
})

test('a file with faults is refused with exit code 1 before Herald is asked for anything', async () => {
  const { terminal, herald } = await given({}, 'groups: []\ntemplates: [{}]')
  expect(await herald('apply', '--dry-run')).toBe(1)
  expect(terminal.said[0]).toContain('groups: is no section')
  expect(terminal.said[1]).toContain('templates[0].name')
})
