import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signWebhook } from '@herald/auth/webhook-signature'
import { expect, onTestFinished, test } from 'vitest'
import * as express from '../examples/express.ts'
import * as fastify from '../examples/fastify.ts'
import * as hono from '../examples/hono.ts'
import * as next from '../examples/next.ts'
import type { WebhookEvent } from './herald.ts'

type Take = (deliveryId: string, events: WebhookEvent[]) => Promise<void>
type Post = (body: string, header: string | undefined) => Promise<number>

const secret = 'whsec_example'
const secrets = ['whsec_newer', secret]
const event = { id: 'evt_1', type: 'notification.opened', ts: '2026-01-01T00:00:00.000Z', externalId: 'kündin' }
const body = JSON.stringify({ id: 'dlv_1', events: Array.from({ length: 100 }, () => event) })

const headersOf = (header: string | undefined) => ({
  'content-type': 'application/json',
  ...(header === undefined ? {} : { 'x-service-signature': header }),
})

/** Starts a server with Node's `http` module that calls the listener, and gives a function that posts to it. */
const posted = async (listener: RequestListener): Promise<Post> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return async (text, header) =>
    (await fetch(`http://127.0.0.1:${port}/herald`, { method: 'POST', body: text, headers: headersOf(header) })).status
}
const asked =
  (answer: (request: Request) => Response | Promise<Response>): Post =>
  async (text, header) =>
    (await answer(new Request('http://127.0.0.1/herald', { method: 'POST', body: text, headers: headersOf(header) }))).status

const receivers: Record<string, (take: Take) => Promise<Post>> = {
  Express: (take) => posted(express.receiver(secrets, take) as RequestListener),
  Fastify: async (take) => {
    const app = fastify.receiver(secrets, take)
    await app.ready()
    return posted((request, response) => app.routing(request, response))
  },
  Hono: async (take) => asked((request) => hono.receiver(secrets, take).fetch(request)),
  'Next.js': async (take) => asked(next.receiver(secrets, take)),
}

test.each(Object.entries(receivers))(
  'the example receiver for %s takes a delivery that Herald signed, and answers 400 when the signature is wrong, old or missing',
  async (_name, open) => {
    const taken: unknown[] = []
    const post = await open(async (deliveryId, events) => void taken.push([deliveryId, events.length, events[0]]))
    const right = signWebhook(secret, body, new Date())

    expect(await post(body, right)).toBe(204)
    expect(await post(`${body} `, right)).toBe(400)
    expect(await post(body, signWebhook('whsec_other', body, new Date()))).toBe(400)
    expect(await post(body, signWebhook(secret, body, new Date(Date.now() - 400_000)))).toBe(400)
    expect(await post(body, undefined)).toBe(400)

    expect(taken).toEqual([['dlv_1', 100, event]])
  },
)

test.each(Object.entries(receivers))(
  'the example receiver for %s answers 500 when it could not store the events, so that Herald sends them again',
  async (_name, open) => {
    const post = await open(() => Promise.reject(new Error('the database is away')))
    expect(await post(body, signWebhook(secret, body, new Date()))).toBe(500)
  },
)
