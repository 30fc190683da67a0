import type { WebhookEvent } from './schema.ts'
import { signatureHeader, verify, type Delivery } from './webhooks.ts'

/** What a receiver does with events: one function for whole deliveries, or a function for each type of event that it wants. */
export type On =
  | ((delivery: Delivery) => unknown)
  | { [Type in WebhookEvent['type']]?: (event: Extract<WebhookEvent, { type: Type }>, delivery: Delivery) => unknown }

export type ReceiverOptions = {
  /** The secret of the endpoint (`whsec_…`), or up to 3 during a rotation. */
  secrets: string | readonly string[]
  /** Answer quickly: store the events and work on them later. When it throws or rejects the answer is 500, and Herald sends the delivery again. */
  on: On
  /** How far the time of a signature may be from now; 300 s by default. */
  toleranceSeconds?: number
  /** Gets what went wrong; `console.error` by default. */
  onError?: (error: unknown) => void
}

/** A delivery has at most 100 events and is far below this. */
const mostBytes = 2_000_000

/** Verifies a delivery and hands its events over, one after another. Gives the status to answer: 204, 400, 413 or 500. It never throws. */
async function receive(options: ReceiverOptions, header: string | null | undefined, read: () => Promise<unknown>): Promise<number> {
  const { secrets, on, toleranceSeconds = 300, onError = console.error } = options
  const tell = (error: unknown): void => {
    try {
      onError(error)
    } catch {
      // A log that fails does not fail the receiver.
    }
  }
  try {
    const body = await read()
    if (body === tooLarge) return 413
    const delivery = await verify(body as string, header, secrets, { toleranceSeconds }).catch((error: Error) => error)
    if (delivery instanceof Error) {
      tell(delivery)
      return delivery instanceof TypeError ? 500 : 400
    }
    if (typeof on === 'function') await on(delivery)
    else
      for (const event of delivery.events)
        await (on[event.type] as ((event: WebhookEvent, of: Delivery) => unknown) | undefined)?.(event, delivery)
    return 204
  } catch (error) {
    tell(error)
    return 500
  }
}

const tooLarge = Symbol('more than 2 MB')

/** A receiver for everything that speaks fetch: Hono, Next.js, Bun, Deno, workers. Gives the function that answers a Request. */
export const handler =
  (options: ReceiverOptions) =>
  async (request: Request): Promise<Response> => {
    const read = () => readAll(request.body === null ? [] : partsOf(request.body))
    return new Response(null, { status: await receive(options, request.headers.get(signatureHeader), read) })
  }

/** Gives the parts of a stream as they come. A reader that stops early ends the stream. */
async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** What is used of a request of node:http, Express or NestJS, and of its response. */
type NodeRequest = AsyncIterable<unknown> & {
  headers: Record<string, string | string[] | undefined>
  body?: unknown
  rawBody?: unknown
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<unknown>
}
type NodeResponse = { statusCode: number; end(): unknown }

/**
 * A receiver for Express 4 and 5, NestJS (with `rawBody: true`), Connect and node:http. It reads the body itself, or takes what `express.raw()` read.
 * A body that was parsed as JSON before is answered 500, as its signature is lost.
 */
export const express =
  (options: ReceiverOptions) =>
  async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const header = request.headers[signatureHeader]
    response.statusCode = await receive(options, typeof header === 'string' ? header : undefined, async () => {
      const before = request.rawBody ?? request.body
      // A request that is destroyed gets no answer, so its stream outlives the reader.
      return before === undefined ? readAll(request.iterator?.({ destroyOnReturn: false }) ?? request) : before
    })
    response.end()
  }

/** Reads a body; stops when it is too large, before the rest is read. */
async function readAll(request: AsyncIterable<unknown> | Iterable<unknown>): Promise<Uint8Array | typeof tooLarge> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > mostBytes) return tooLarge
    parts.push(part)
  }
  const all = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** What is used of a Fastify instance. */
type FastifyScope = {
  removeContentTypeParser(type: string): unknown
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): unknown
  post(
    path: string,
    answer: (
      request: { headers: NodeRequest['headers']; body: unknown },
      reply: { code(status: number): { send(): unknown } },
    ) => Promise<unknown>,
  ): unknown
}

/** A plugin for Fastify: `app.register(webhooks.fastify({ secrets, on }), { prefix: '/hooks/herald' })`. Other routes keep their parser of JSON. */
export const fastify =
  (options: ReceiverOptions) =>
  async (app: FastifyScope): Promise<void> => {
    app.removeContentTypeParser('application/json')
    app.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: mostBytes }, (_request, body, done) => done(null, body))
    app.post('/', async (request, reply) => {
      const header = request.headers[signatureHeader]
      return reply.code(await receive(options, typeof header === 'string' ? header : undefined, async () => request.body)).send()
    })
  }
