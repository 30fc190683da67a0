import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { sharedPlatform } from '../platform.ts'
import { ok } from './campaigns.ts'
import { commandFor } from './command.ts'

const herald = await sharedPlatform()
const { home, run } = commandFor(herald)

const contentOf = (title: string) => ({ _default: 'en', en: { title, body: 'Hello {{ tags.name | default: "there" }}' } })

async function givenKey(tenant: Tenant, scopes: string[]) {
  const { key } = ok(await tenant.admin<{ key: string }>('POST', '/admin-keys', { name: 'apply', scopes }), 201)
  return { HERALD_TOKEN: key, HERALD_APP: '' }
}

// spec: administration/admin-key-scopes
test('`herald pull` and `herald apply` move 300 templates, a segment, endpoint and settings; a second apply finds no difference', async () => {
  const [from, to] = [await givenTenant(herald), await givenTenant(herald)]
  for (let n = 0; n < 300; n += 1)
    ok(await from.admin('POST', '/templates', { name: `Template ${n}`, content: contentOf(`No. ${n}`) }), 201)
  const full = { content: { ...contentOf('22:00'), pt_br: { title: 'off', body: 'a\nb\n' } }, data: { '1': 'no' }, ttl: 60, silent: false }
  ok(await from.admin('POST', '/templates', { name: 'null', description: '# x', ...full, presentation: { badge: 0 } }), 201)
  const definition = { and: [{ field: 'tags.plan', op: 'in', value: ['gold', '1'] }, { not: { field: 'country', op: 'eq', value: 'NO' } }] }
  ok(await from.admin('POST', '/segments', { name: 'Gold', definition }), 201)
  const { id } = ok(
    await from.admin<{ id: string }>('POST', '/webhooks', { url: 'https://93.184.216.34/hooks', eventTypes: ['notification.failed'] }),
    201,
  )
  ok(await from.admin('PATCH', `/webhooks/${id}`, { enabled: false }), 200)
  ok(
    await from.admin('PATCH', '', {
      settings: { defaultTimezone: 'Europe/Berlin', quietHours: { start: '22:00', end: '08:00', action: 'hold' } },
    }),
    200,
  )
  const file = join(home, 'herald.yaml')
  const source = await givenKey(from, ['read'])
  const target = await givenKey(to, ['read', 'send', 'settings', 'people'])

  expect((await run(from, ['pull', file], source)).code).toBe(0)
  const pulled = readFileSync(file, 'utf8')
  expect(parse(pulled)).toMatchObject({ segments: [{ name: 'Gold', definition }], webhooks: [{ enabled: false }] })
  expect(await run(from, ['apply', file, '--dry-run', '--prune'], source)).toMatchObject({ code: 0, out: '' })
  expect((await run(to, ['apply', file, '--dry-run'], target)).code).toBe(2)

  expect(await run(to, ['apply', file, '--yes'], target)).toMatchObject({ code: 0, err: expect.stringContaining('Applied 304 changes') })
  expect(await run(to, ['apply', file, '--yes'], target)).toMatchObject({ code: 0, out: '' })
  expect(await run(to, ['apply', file, '--dry-run', '--prune'], target)).toMatchObject({ code: 0, out: '' })
  expect((await run(to, ['pull', join(home, 'other.yaml')], target)).code).toBe(0)
  expect(readFileSync(join(home, 'other.yaml'), 'utf8')).toBe(pulled)
}, 300_000)

test('`herald apply` changes what differs, deletes only with --prune, and names the entry and the field that Herald refuses', async () => {
  const tenant = await givenTenant(herald)
  const env = await givenKey(tenant, ['read', 'send'])
  const names = async () =>
    ok(await tenant.admin<{ items: { name: string }[] }>('GET', '/templates'), 200)
      .items.map(({ name }) => name)
      .toSorted()
  for (const name of ['A', 'B']) ok(await tenant.admin('POST', '/templates', { name, content: contentOf(name), ttl: 60 }), 201)
  const file = join(home, 'change.yaml')
  // Locales are written as people write them, and a field that is left out is removed.
  const write = (title: string) =>
    writeFileSync(
      file,
      stringify({
        templates: [
          { name: 'B', content: { ...contentOf('New'), DE_at: { title: 'x', body: 'y' } } },
          { name: 'C', content: contentOf(title) },
        ],
      }),
    )

  write(' ')
  const refused = await run(tenant, ['apply', file, '--yes'], env)
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/Applied 1 of 2 changes:\n {2}~ templates: B\n.*templates\[1\][^]*content\.en\.title: /),
  ])
  expect(await names()).toEqual(['A', 'B'])

  write('Good')
  expect((await run(tenant, ['apply', file, '--yes'], env)).out).toBe('+ templates: C\n')
  expect(await names()).toEqual(['A', 'B', 'C'])
  expect(await run(tenant, ['apply', file, '--dry-run', '--prune'], env)).toMatchObject({ code: 2, out: '- templates: A\n' })
  expect((await run(tenant, ['apply', file, '--prune', '--yes'], env)).code).toBe(0)
  expect(await names()).toEqual(['B', 'C'])

  // A key that may not change settings says so.
  writeFileSync(file, stringify({ settings: { defaultTimezone: 'europe/vienna' } }))
  const forbidden = await run(tenant, ['apply', file, '--yes'], env)
  expect([forbidden.code, forbidden.err]).toEqual([1, expect.stringContaining('the scope settings')])
  const settings = await givenKey(tenant, ['read', 'settings'])
  expect((await run(tenant, ['apply', file, '--yes'], settings)).code).toBe(0)
  expect(await run(tenant, ['apply', file, '--dry-run'], settings)).toMatchObject({ code: 0, out: '' })
}, 120_000)
