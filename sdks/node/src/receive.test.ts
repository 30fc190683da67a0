import { createRequire } from 'node:module'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signWebhook } from '@herald/auth/webhook-signature'
import express from 'express'
import createFastify from 'fastify'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { webhooks, type ReceiverOptions } from './herald.ts'

// This version has no types of its own; what is used of it is the same.
const express4 = createRequire(import.meta.url)('express4') as typeof express

type Post = (body: string, header: string | undefined) => Promise<number>

const secret = 'whsec_example'
const event = { id: 'evt_1', type: 'notification.opened', ts: '2026-01-01T00:00:00.000Z', externalId: 'kündin' }
const newer = { ...event, id: 'evt_2', type: 'notification.of_a_newer_herald' }
const body = JSON.stringify({ id: 'dlv_1', events: [...Array.from({ length: 99 }, () => event), newer] })
const now = () => signWebhook(secret, body, new Date())

const headersOf = (header: string | undefined) => ({
  'content-type': 'application/json',
  ...(header === undefined ? {} : { 'x-service-signature': header }),
})

/** Starts a server with Node's `http` module that calls the listener, and gives a function that posts to it. */
const posted = async (listener: RequestListener, path = '/hooks/herald'): Promise<Post> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return async (text, header) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: text, headers: headersOf(header) })).status
}

const receivers: Record<string, (options: ReceiverOptions) => Promise<Post>> = {
  'Express 4': (options) => posted(express4().post('/hooks/herald', webhooks.express(options)) as RequestListener),
  'Express 5': (options) => posted(express().post('/hooks/herald', webhooks.express(options)) as RequestListener),
  'Express 5 with express.raw': (options) =>
    posted(express().post('/hooks/herald', express.raw({ type: '*/*', limit: '2mb' }), webhooks.express(options)) as RequestListener),
  'NestJS, whose body is parsed and kept': (options) =>
    posted(
      express()
        .use(express.json({ verify: (request, _, raw) => void Object.assign(request, { rawBody: raw }) }))
        .post('/hooks/herald', webhooks.express(options)) as RequestListener,
    ),
  'node:http': (options) => posted((request, response) => void webhooks.express(options)(request, response)),
  Fastify: async (options) => {
    const app = createFastify()
    app.post('/other', (request) => ({ is: typeof request.body }))
    await app.register(webhooks.fastify(options), { prefix: '/hooks/herald' })
    await app.ready()
    return posted((request, response) => app.routing(request, response))
  },
  Hono: async (options) => {
    const app = new Hono().post('/hooks/herald', ({ req }) => webhooks.handler(options)(req.raw))
    return async (text, header) => (await app.request('/hooks/herald', { method: 'POST', body: text, headers: headersOf(header) })).status
  },
}

test.each(Object.entries(receivers))(
  'a receiver for %s hands over signed events, and answers 400 to wrong, old or missing signatures',
  async (_name, open) => {
    const taken: unknown[] = []
    const told: string[] = []
    const post = await open({
      secrets: ['whsec_newer', secret],
      on: { 'notification.opened': (opened, { deliveryId }) => void taken.push([deliveryId, opened]) },
      onError: (error) => told.push((error as { code: string }).code),
    })

    expect(await post(body, now())).toBe(204)
    expect(await post(`${body} `, now())).toBe(400)
    expect(await post(body, signWebhook('whsec_other', body, new Date()))).toBe(400)
    expect(await post(body, signWebhook(secret, body, new Date(Date.now() - 400_000)))).toBe(400)
    expect(await post(body, undefined)).toBe(400)

    expect(taken).toEqual(Array.from({ length: 99 }, () => ['dlv_1', event]))
    expect(told).toEqual(['bad_signature', 'bad_signature', 'too_old', 'malformed'])
  },
)

test.each(Object.entries(receivers))(
  'a receiver for %s answers 500 when events could not be stored, even when the log fails',
  async (_name, open) => {
    const failing = () => {
      throw new Error('away')
    }
    for (const on of [() => Promise.reject(new Error('the database is away')), failing]) {
      const post = await open({ secrets: secret, on, onError: failing })
      expect(await post(body, now())).toBe(500)
    }
  },
)

test.each(Object.entries(receivers).filter(([name]) => !name.includes('Nest') && !name.includes('raw')))(
  'a receiver for %s answers 413 to more than 2 MB, and takes no event of it',
  async (name, open) => {
    const post = await open({ secrets: secret, on: () => expect.unreachable(), onError: () => undefined })
    const status = await post('x'.repeat(20_000_000), now())
    expect([name, status]).toEqual([name, 413])
  },
)

test('a body without a length is read no further than 2 MB by the receiver that speaks fetch', async () => {
  let given = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 100_000
      controller.enqueue(new Uint8Array(100_000))
    },
  })
  const receive = webhooks.handler({ secrets: secret, on: () => expect.unreachable(), onError: () => undefined })
  const request = { method: 'POST', body: endless, duplex: 'half' as const, headers: headersOf(now()) }
  expect((await receive(new Request('http://127.0.0.1/hooks', request))).status).toBe(413)
  expect(given).toBeLessThan(2_500_000)
})

test('a body that was parsed before the receiver is answered 500, and the error says what to do', async () => {
  const told: unknown[] = []
  const options = { secrets: secret, on: () => expect.unreachable(), onError: (error: unknown) => told.push(String(error)) }
  const post = await posted(express().use(express.json()).post('/hooks/herald', webhooks.express(options)) as RequestListener)
  expect(await post(body, now())).toBe(500)
  expect(told).toEqual([expect.stringContaining('is needed as it came')])
})

test('a plugin of Fastify leaves the parser of other routes alone', async () => {
  const app = createFastify()
  app.post('/other', (request) => ({ is: (request.body as { a: number }).a }))
  await app.register(webhooks.fastify({ secrets: secret, on: () => undefined }), { prefix: '/hooks/herald' })
  expect((await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })).json()).toEqual({ is: 1 })
})
