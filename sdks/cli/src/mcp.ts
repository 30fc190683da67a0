import { randomUUID } from 'node:crypto'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { connect, type Connection } from './connection.ts'
import { askExplain, noSuch } from './explain.ts'
import { follow } from './follow.ts'
import { linesOfError } from './lines-of-error.ts'
import { askDryRun, readNotification, sendCampaign } from './send.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** How long a person may take to confirm a send. */
const confirmWithinMs = 600_000
/** After a send the answer waits this long for its end; clients give up after 60 s. */
const followMs = 20_000

const Id = z.string().regex(/^[0-9a-f]{24}$/)
const text = {
  title: z.string().describe('May have placeholders, such as {{ user.externalId }}'),
  body: z.string(),
  language: z.string().default('en').describe('The language of title and body'),
  url: z.string().optional().describe('What a tap opens'),
}
const reads = { readOnlyHint: true, openWorldHint: false }
const sends = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/**
 * Serves tools for an assistant over stdin and stdout, until the client closes them. All of them read; only with `--allow-send` there is one that
 * sends, and it asks the person at the client before each send.
 */
export async function serveMcp(terminal: Terminal, options: { app?: string; 'allow-send'?: boolean }): Promise<number> {
  const connection = connect(terminal, options.app)
  const appPath = await connection.appPath()
  const server = new McpServer({ name: 'herald', version })
  addReadingTools(server, connection, appPath)
  if (options['allow-send']) addSend(server, terminal, connection, appPath)
  const ended = new Promise<void>((resolve) => {
    server.server.onclose = resolve
    terminal.stop.addEventListener('abort', () => resolve(), { once: true })
    process.stdin.once('end', resolve)
  })
  await server.connect(new StdioServerTransport())
  terminal.say(options['allow-send'] ? 'Serving tools that read, and one that sends after a confirmation.' : 'Serving tools that read.')
  await ended
  await server.close()
  return 0
}

function addReadingTools(server: McpServer, connection: Connection, appPath: string): void {
  const { herald } = connection
  server.registerTool(
    'overview',
    { description: 'The app now: devices by platform, providers, open circuits, what was sent lately.', annotations: reads },
    () => answer(() => herald.request('GET', `${appPath}/overview`)),
  )
  server.registerTool(
    'campaigns',
    {
      description: 'Lists campaigns with their counters, newest first. nextCursor is given when there are more.',
      inputSchema: {
        status: z.enum(['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed']).optional(),
        q: z.string().max(100).optional().describe('A part of the name'),
        limit: z.int().min(1).max(50).default(20),
        cursor: z.string().max(1_000).optional(),
      },
      annotations: reads,
    },
    ({ status, q, limit, cursor }) => answer(() => herald.request('GET', `${appPath}/campaigns`, { query: { status, q, limit, cursor } })),
  )
  server.registerTool(
    'campaign',
    {
      description: 'One campaign: content, audience, state, counters, and its failures by code.',
      inputSchema: { id: Id },
      annotations: reads,
    },
    ({ id }) =>
      answer(async () => ({
        campaign: await herald.request('GET', `${appPath}/campaigns/${id}`),
        breakdown: await herald.request('GET', `${appPath}/campaigns/${id}/breakdown`),
      })),
  )
  server.registerTool(
    'explain',
    {
      description: 'Why a user’s devices got a campaign, or did not, step by step.',
      inputSchema: { campaignId: Id, who: z.string().min(1).max(128).describe('An external id, or the id of a user or a device') },
      annotations: reads,
    },
    ({ campaignId, who }) =>
      answer(async () => {
        const explained = await askExplain(herald, appPath, campaignId, who)
        if (!explained) throw new UsageError(noSuch(campaignId, who))
        return explained
      }),
  )
  server.registerTool(
    'dry_run',
    {
      description: 'Whom a notification would reach, and who would be skipped and why. Sends nothing.',
      inputSchema: {
        ...text,
        externalIds: z.array(z.string()).max(1_000).optional(),
        segment: z.string().optional().describe('The name or id of a saved segment'),
        all: z.boolean().optional().describe('Everyone'),
      },
      annotations: reads,
    },
    ({ externalIds: to, ...given }) =>
      answer(async () => askDryRun(connection, await readNotification(connection, { ...defined(given), ...(to ? { to } : {}) }))),
  )
  server.registerTool(
    'segment_preview',
    {
      description: 'How many users and devices a definition of a segment finds. Without a definition: everyone.',
      inputSchema: {
        definition: z.record(z.string(), z.unknown()).optional().describe('Such as {"field":"tags.plan","op":"eq","value":"pro"}'),
      },
      annotations: reads,
    },
    ({ definition }) =>
      answer(() =>
        herald.request('POST', `${appPath}/segments/preview`, { body: definition ? { segment: definition } : {}, repeatable: true }),
      ),
  )
}

function addSend(server: McpServer, terminal: Terminal, connection: Connection, appPath: string): void {
  const { herald } = connection
  server.registerTool(
    'send',
    {
      description:
        'Sends a notification to a saved segment, or as a test to one device. The person at the client is asked before anything is sent. Give testDevice or segment.',
      inputSchema: {
        ...text,
        testDevice: Id.optional().describe('The id of a subscription'),
        segment: z.string().optional().describe('The name or id of a saved segment'),
      },
      annotations: sends,
    },
    ({ testDevice, segment, ...given }, { signal }) =>
      answer(async () => {
        if ((testDevice === undefined) === (segment === undefined)) throw new UsageError('Give one of testDevice and segment.')
        const { title, body, language, url } = given
        if (testDevice !== undefined) {
          await confirm(server, signal, `Send a test to the device ${testDevice}?\n\n${title}\n${body}`, undefined)
          const content = { _default: language, [language]: { title, body, ...(url === undefined ? {} : { url }) } }
          return herald.request('POST', `${appPath}/test-send`, {
            body: { subscriptionId: testDevice, content },
            idempotencyKey: randomUUID(),
            timeoutMs: 20_000,
          })
        }
        const notification = await readNotification(connection, { ...defined(given), ...(segment === undefined ? {} : { segment }) })
        const { audience } = await askDryRun(connection, notification)
        const { devices } = audience
        if (devices === 0) throw new UsageError('Nothing was sent: no device in this segment can be reached.')
        await confirm(server, signal, `Send to the segment ${segment}, ${devices} devices?\n\n${title}\n${body}`, devices)
        const id = await sendCampaign(connection, notification, randomUUID())
        return { id, ...(await follow(terminal, connection, id, followMs)) }
      }),
  )
}

/**
 * Asks the person at the client, who types the number of devices, or for a test says yes. Throws unless the person agrees, and when the client cannot
 * ask: an assistant never confirms for a person.
 */
async function confirm(server: McpServer, signal: AbortSignal, message: string, devices: number | undefined): Promise<void> {
  if (!server.server.getClientCapabilities()?.elicitation?.form)
    throw new UsageError('Nothing was sent: this client cannot ask its user for a confirmation. Use `herald send` in a terminal.')
  const asked =
    devices === undefined
      ? { send: { type: 'boolean' as const, title: 'Send it', default: false } }
      : { devices: { type: 'integer' as const, title: `Type ${devices} to send it` } }
  const { action, content } = await server.server.elicitInput(
    { mode: 'form', message, requestedSchema: { type: 'object', properties: asked, required: Object.keys(asked) } },
    { timeout: confirmWithinMs, signal },
  )
  const isAgreed = action === 'accept' && (devices === undefined ? content?.['send'] === true : content?.['devices'] === devices)
  // The client may have cancelled the call while its user was asked.
  if (!isAgreed || signal.aborted) throw new UsageError('Nothing was sent: it was not confirmed.')
}

/** Gives the answer of a tool: JSON, or what failed and what to do. */
async function answer(work: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await work()) }] }
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: linesOfError(error).join('\n') }] }
  }
}

/** Leaves out the fields that are undefined. */
const defined = <Fields extends object>(fields: Fields): { [Field in keyof Fields]: Exclude<Fields[Field], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Fields]: Exclude<Fields[Field], undefined>
  }
