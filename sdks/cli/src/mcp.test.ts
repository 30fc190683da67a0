import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { givenHerald } from './testing/given-herald.ts'

const app = '671a2b3c4d5e6f7081920a06'
const id = '671a2b3c4d5e6f7081920a05'
const path = `/v1/admin/apps/${app}`
const audience = { devices: 4_711, users: 9, byPlatform: { ios: 4_711, android: 0, web: 0 }, exact: true }
const message = { title: 'Hi', body: 'There' }
const answers = {
  [`GET ${path}/overview`]: { body: { devices: {} } },
  [`GET ${path}/segments`]: { body: { items: [{ id, name: 'Gold' }], nextCursor: null } },
  [`POST ${path}/segments/preview`]: { body: { count: 9 } },
  [`POST ${path}/dry-run`]: { body: { audience } },
  [`POST ${path}/campaigns`]: { status: 201, body: { id } },
  [`POST ${path}/campaigns/${id}/send`]: { status: 202, body: { id } },
  [`GET ${path}/campaigns/${id}`]: { body: { id, status: 'sent', stats: { queued: 1, sent: 1, failed: 0, skipped: 0 } } },
  [`POST ${path}/test-send`]: { status: 202, body: { id, results: [] } },
}
type Typed = { action: 'accept'; content: Record<string, number | boolean> } | { action: 'decline' }

/** Starts `herald mcp` and connects the official client. With `typed` the client can ask its user, who answers that. */
async function given(args: string[], { typed }: { typed?: Typed } = {}) {
  const { url, asked } = await givenHerald(answers)
  const questions: string[] = []
  const client = new Client({ name: 'test', version: '1' }, { capabilities: typed ? { elicitation: {} } : {} })
  if (typed)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return typed
    })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, 'herald.ts'), 'mcp', ...args],
    env: { HERALD_URL: url, HERALD_TOKEN: `ak_live_${app}_x` },
    stderr: 'ignore',
  })
  onTestFinished(() => client.close())
  await client.connect(transport)
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError = false } = (await client.callTool({ name, arguments: given })) as CallToolResult
    const [first] = content
    return { isError, text: first?.type === 'text' ? first.text : '' }
  }
  const sent = () => asked.filter(({ path: at, method }) => method === 'POST' && /\/(campaigns|send|test-send)$/.test(at))
  return { client, call, asked, questions, sent }
}

test('without --allow-send `herald mcp` has tools that read, and none that can send', async () => {
  const { client, call, asked, sent } = await given([], { typed: { action: 'accept', content: { send: true } } })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['overview', 'campaigns', 'campaign', 'explain', 'dry_run', 'segment_preview'])
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)

  expect(await call('overview')).toEqual({ isError: false, text: '{"devices":{}}' })
  expect(JSON.parse((await call('segment_preview', { definition: { field: 'country', op: 'eq', value: 'DE' } })).text)).toEqual({
    count: 9,
  })
  expect(JSON.parse((await call('dry_run', { ...message, segment: 'Gold' })).text)).toEqual({ audience })
  expect(JSON.parse(asked.at(-1)?.body ?? '')).toMatchObject({ notification: { target: { segmentId: id } } })
  expect(await call('campaign', { id: 'x' })).toMatchObject({ isError: true })
  expect(await call('explain', { campaignId: id, who: 'ann' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('no campaign'),
  })
  expect(await call('send', { ...message, segment: 'Gold' })).toMatchObject({ isError: true, text: expect.stringContaining('send') })
  expect(sent()).toEqual([])
}, 30_000)

test('with --allow-send the tool sends to a segment after the person typed the number of devices', async () => {
  const { call, sent, questions } = await given(['--allow-send'], { typed: { action: 'accept', content: { devices: 4_711 } } })
  expect(JSON.parse((await call('send', { ...message, segment: 'Gold' })).text)).toMatchObject({ id, status: 'sent' })
  expect(questions).toEqual([expect.stringMatching(/Gold, 4711 devices\?\n\nHi\nThere$/)])
  expect(sent().map(({ path: at }) => at)).toEqual([`${path}/campaigns`, `${path}/campaigns/${id}/send`])
}, 30_000)

test('with --allow-send the tool send sends a test to one device after the person at the client has said yes', async () => {
  const { call, sent } = await given(['--allow-send'], { typed: { action: 'accept', content: { send: true } } })
  expect((await call('send', { ...message, testDevice: id })).isError).toBe(false)
  expect(sent().map(({ path: at, body }) => [at, JSON.parse(body)])).toEqual([
    [`${path}/test-send`, { subscriptionId: id, content: { _default: 'en', en: message } }],
  ])
}, 30_000)

test.each<[string, Typed | undefined]>([
  ['the client cannot ask its user', undefined],
  ['the person declines', { action: 'decline' }],
  ['the person types another number', { action: 'accept', content: { devices: 4_710, send: false } }],
])(
  'with --allow-send nothing is sent when %s',
  async (_what, typed) => {
    const { call, sent } = await given(['--allow-send'], typed ? { typed } : {})
    for (const target of [{ segment: 'Gold' }, { testDevice: id }, { segment: 'Gold', confirm: true }, {}])
      expect((await call('send', { ...message, ...target })).isError).toBe(true)
    expect(sent()).toEqual([])
  },
  30_000,
)
