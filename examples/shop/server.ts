// A shop whose customers get a push for each order. Start it with `npm start`; README.md lists the settings that it needs.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Herald, HeraldError, identityToken, webhooks, type WebhookEvent } from '@herald/node'
import express, { type ErrorRequestHandler } from 'express'
import { readSettings, type Settings } from './settings.ts'

type Order = { id: string; customer: string; item: string; campaignId?: string }

const mostKept = 100
const sdkFiles = ['herald.iife.js', 'worker.iife.js']

/** Makes the shop's HTTP server. It keeps the newest 100 orders and the newest 100 events in memory. */
function openShop({ heraldUrl, secretKey, publicKey, webhookSecrets, identitySecret, category, offersCategory }: Settings) {
  const herald = new Herald({ baseUrl: heraldUrl, key: secretKey })
  const orders = new Map<string, Order>()
  const events: WebhookEvent[] = []
  const app = express()

  // This route comes before express.json, because Herald signs the bytes of the body, not the parsed JSON.
  app.post('/webhooks/herald', express.raw({ type: 'application/json', limit: '2mb' }), async (request, response) => {
    const delivery = await webhooks.verify(request.body as Buffer, request.get(webhooks.signatureHeader), webhookSecrets)
    // Herald may send a delivery twice, so events that the shop has already are skipped.
    const known = new Set(events.map(({ id }) => id))
    events.unshift(...delivery.events.filter(({ id }) => !known.has(id)))
    events.length = Math.min(events.length, mostKept)
    response.sendStatus(204)
  })

  app.use(express.json())
  app.use(express.static(join(import.meta.dirname, 'public')))

  app.get('/settings', async (_request, response) => {
    const vapidPublicKey = await herald.webPushKey().then(({ publicKey: key }) => key, ifNotFound)
    response.json({ baseUrl: heraldUrl, appKey: publicKey, vapidPublicKey, hasIdentity: identitySecret !== undefined })
  })

  // The shop passes the SDK's files on from its own address: browsers demand it of a service worker's script, and ad blockers do not block it.
  app.get('/herald/:file', async (request, response) => {
    if (!sdkFiles.includes(request.params.file)) return void response.sendStatus(404)
    const answer = await fetch(new URL(`/sdk/v1/${request.params.file}`, heraldUrl), { signal: AbortSignal.timeout(10_000) })
    response
      .status(answer.status)
      .type('text/javascript')
      .send(await answer.text())
  })

  // A real shop knows the customer from a session. This example believes what the page says.
  app.get('/identity-token', async (request, response) => {
    const { customer } = request.query
    if (identitySecret === undefined || typeof customer !== 'string') return void response.sendStatus(404)
    response.json({ token: await identityToken(identitySecret, customer) })
  })

  app.post('/orders', async (request, response) => {
    const { customer, item } = request.body as Record<string, unknown>
    if (typeof customer !== 'string' || customer === '' || typeof item !== 'string' || item === '')
      return void response.status(422).json({ message: 'customer and item are needed, as texts' })
    const order: Order = { id: randomUUID(), customer, item }
    orders.set(order.id, order)
    for (const oldest of orders.keys()) if (orders.size > mostKept) orders.delete(oldest)
    // Tells Herald of the order, so that the dashboard shows which push led to it: before the next push, which cannot have. The order's id counts once, also when this is repeated.
    await herald.conversions.track({ id: order.id, name: 'order', at: new Date().toISOString(), externalId: customer }).catch(ignoreAndLog)
    const { id } = await herald.notifications.send(
      {
        target: { externalIds: [customer] },
        content: {
          _default: 'en',
          en: {
            title: 'Thank you',
            body: 'Your {{ data.item }} is on its way',
            url: `${request.protocol}://${request.get('host')}/?order=${order.id}`,
          },
          de: {
            title: 'Danke',
            body: '{{ data.item }} ist unterwegs',
            url: `${request.protocol}://${request.get('host')}/?order=${order.id}`,
          },
        },
        data: { item, order: order.id },
        // Who has left this category gets no push of the order, and Herald counts it as skipped.
        ...(category === undefined ? {} : { category }),
      },
      // The idempotency key is made from the order's id, so the customer gets one notification of an order however often this send is repeated.
      { idempotencyKey: `order-${order.id}` },
    )
    order.campaignId = id
    response.status(201).json(order)
  })

  app.get('/orders/:id', async (request, response) => {
    const order = orders.get(request.params.id)
    if (!order?.campaignId) return void response.sendStatus(404)
    const { status, stats } = await herald.campaigns.stats(order.campaignId)
    response.json({ ...order, status, stats })
  })

  // What the staff sends. Herald tries two texts on six customers in ten, counts the orders that they lead to, and sends the better one to the others.
  // Customers who have switched pushes off find it in the inbox.
  app.post('/offers', async ({ body }, response) => {
    const { item, texts } = body as { item: string; texts: Record<string, string> }
    const contentOf = (title: string) => ({ _default: 'en', en: { title, body: `See our ${item}` } })
    const variants = Object.entries(texts).map(([id, title]) => ({ id, name: id, weight: 1, content: contentOf(title) }))
    const draft = await herald.campaigns.create({
      name: `Offer: ${item}`,
      content: contentOf(`Our ${item}`),
      experiment: {
        sampleRate: 0.6,
        variants,
        auto: { metric: 'conversion', conversion: 'order', afterMinutes: 2880, alpha: 0.05, minUsers: 100, ifInconclusive: 'best' },
      },
      // At most so many a minute, so that the shop's own server can answer who comes.
      sendRate: { perMinute: 6_000 },
      inbox: true,
      ...(offersCategory === undefined ? {} : { category: offersCategory }),
    })
    await herald.campaigns.send(draft.id)
    response.status(201).json({ id: draft.id })
  })

  // What a customer was sent, also without pushes. A real shop asks for the customer of the session only.
  app.get('/customers/:customer/inbox', async ({ params: { customer } }, response) => {
    response.json(await herald.users.inbox({ externalId: customer }))
  })
  app.post('/customers/:customer/inbox/read', async ({ params: { customer } }, response) => {
    await herald.users.markInbox({ externalId: customer }, { all: true })
    response.sendStatus(204)
  })

  // What a customer gets: a real shop shows it on the page of the account, as switches.
  app.get('/customers/:customer/preferences', async ({ params: { customer } }, response) => {
    response.json(await herald.users.preferences({ externalId: customer }))
  })
  app.patch('/customers/:customer/preferences', async ({ params: { customer }, body }, response) => {
    response.json(await herald.users.updatePreferences({ externalId: customer }, body as Record<string, boolean | null>))
  })

  app.get('/events', (_request, response) => void response.json({ events }))

  const refuse: ErrorRequestHandler = (error, _request, response, _next) => {
    const isHerald = error instanceof HeraldError
    if (!isHerald) console.error(error)
    response
      .status(isHerald && error.status === 400 ? 400 : 502)
      .json({ message: isHerald ? error.message : 'Something is wrong in the shop.' })
  }
  app.use(refuse)
  return app
}

/** An order is an order, also when Herald does not hear of it. */
const ignoreAndLog = (error: unknown): void => console.error(error instanceof Error ? error.message : error)

const ifNotFound = (error: unknown): undefined => {
  if (!(error instanceof HeraldError && error.is('not_found'))) throw error
  return undefined
}

try {
  const settings = readSettings()
  const server = openShop(settings).listen(settings.port, '127.0.0.1', () => {
    const address = server.address()
    console.log(`shop ready http://127.0.0.1:${typeof address === 'object' && address ? address.port : settings.port}`)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      server.close()
      server.closeAllConnections()
    })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
