import { resolve } from 'node:path'
import { givenTenant, type Tenant } from '@herald/testing/tenant'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { sharedPlatform } from '../platform.ts'
import { givenDevices, ok } from './campaigns.ts'

const herald = await sharedPlatform()

/** Starts `herald mcp` with an administration key of the app. The client's user answers a question with `typed`. */
async function connectTo(tenant: Tenant, args: string[], typed: Record<string, number | boolean> = {}) {
  const body = { name: 'assistant', scopes: ['read', 'send', 'people'] }
  const { key } = ok(await tenant.admin<{ key: string }>('POST', '/admin-keys', body), 201)
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: typed }))
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve(import.meta.dirname, '../../sdks/cli/src/herald.ts'), 'mcp', ...args],
      env: { HERALD_URL: herald.baseUrl, HERALD_TOKEN: key },
      stderr: 'ignore',
    }),
  )
  return async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = (await client.callTool({ name, arguments: given })) as CallToolResult
    const [first] = content
    const text = first?.type === 'text' ? first.text : ''
    return isError ? { refused: text } : (JSON.parse(text) as Record<string, unknown>)
  }
}

// spec: administration/admin-key-scopes
test('an assistant reads an app over `herald mcp`, and sends to segments only with --allow-send and its user’s confirmation', async () => {
  const tenant = await givenTenant(herald)
  const devices = await givenDevices(tenant, 'android', 3)
  ok(await tenant.admin('POST', '/segments', { name: 'All', definition: { field: 'platform', op: 'eq', value: 'android' } }), 201)
  const message = { title: 'Hi', body: 'There' }

  const reading = await connectTo(tenant, [], { devices: 3 })
  expect(await reading('overview')).toMatchObject({ devices: { android: { total: 3 } } })
  expect(await reading('segment_preview', { definition: { field: 'platform', op: 'eq', value: 'ios' } })).toMatchObject({ count: 0 })
  expect(await reading('dry_run', { ...message, segment: 'All' })).toMatchObject({ audience: { devices: 3 } })
  expect(await reading('send', { ...message, segment: 'All' })).toHaveProperty('refused')
  expect(await reading('campaigns')).toMatchObject({ items: [] })

  const wrong = await connectTo(tenant, ['--allow-send'], { devices: 2, send: false })
  expect(await wrong('send', { ...message, segment: 'All' })).toMatchObject({ refused: expect.stringContaining('not confirmed') })
  expect(await wrong('send', { ...message, testDevice: devices[0]?.id })).toMatchObject({
    refused: expect.stringContaining('not confirmed'),
  })
  expect(await reading('campaigns')).toMatchObject({ items: [] })

  const sending = await connectTo(tenant, ['--allow-send'], { devices: 3, send: true })
  const sent = await sending('send', { ...message, segment: 'All' })
  expect(sent).toMatchObject({ status: 'sent', stats: { queued: 3, sent: 3 } })
  expect(await reading('campaign', { id: sent['id'] })).toMatchObject({ campaign: { status: 'sent' } })
  expect(await reading('explain', { campaignId: sent['id'], who: devices[0]?.id })).toMatchObject({ devices: [{ verdict: 'sent' }] })
  expect(await sending('send', { ...message, testDevice: devices[0]?.id })).toMatchObject({ results: [{ outcome: 'sent' }] })
}, 120_000)
