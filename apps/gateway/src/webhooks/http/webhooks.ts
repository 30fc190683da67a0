import * as calls from '@herald/contracts/calls/webhooks'
import { Timestamp } from '@herald/contracts/text'
import { CreateWebhook, deliveryStates, PatchWebhook } from '@herald/contracts/webhook'
import { z } from 'zod'
import { listRequestOf, pageQuery } from '../../core/page.ts'
import { getApp } from '../../apps/store/apps.ts'
import {
  DeliveryWithBody,
  MadeWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookSecret,
  WebhookTested,
} from './webhook-answers.ts'
import { EventStream } from '../../http/event-stream.ts'
import { missingAdminScope } from '../../http/credentials.ts'
import { elsewhere, route, type Asked } from '../../http/route.ts'

const path = '/v1/admin/apps/:appId/webhooks'
const onePath = `${path}/:id` as const

const DeliveryQuery = z
  .strictObject({
    state: z.enum(deliveryStates).optional(),
    from: Timestamp.optional().meta({ description: 'Only deliveries that were made at this moment or later.' }),
    to: Timestamp.optional().meta({ description: 'Only deliveries that were made before this moment.' }),
    ...pageQuery,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, { path: ['to'], message: 'must be later than from' })

/** Who names the address of an endpoint receives the ids of users. Fault forbidden. */
function checkMayReceive(holds: Asked<string, unknown, unknown>['holds']): void {
  if (!holds('people')) throw missingAdminScope('people')
}
const addressNeeds = 'To name the URL an administration key needs the scope people too, because events name users.'

/**
 * The routes of webhook endpoints. The service webhooks has the endpoints. The gateway checks that the app exists, and answers 404 when it does not.
 */
export const webhooks = [
  route({
    name: 'createWebhook',
    method: 'post',
    path,
    key: 'admin',
    scope: 'settings',
    body: CreateWebhook,
    status: 201,
    summary: 'Make a webhook endpoint; its secret is shown this once',
    description: addressNeeds,
    answers: MadeWebhook,
    audit: elsewhere('webhook.created'),
    async answer({ bus }, { appId, body, holds }) {
      checkMayReceive(holds)
      return bus.call(calls.createWebhook, { appId, webhook: body })
    },
  }),
  route({
    name: 'listWebhooks',
    method: 'get',
    path,
    key: 'admin',
    scope: 'read',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the webhook endpoints of an app, newest first',
    answers: WebhookList,
    async answer({ db, bus }, { appId, query }) {
      await getApp(db, appId)
      return bus.call(calls.listWebhooks, { appId, ...listRequestOf(query) })
    },
  }),
  route({
    name: 'readWebhook',
    method: 'get',
    path: onePath,
    key: 'admin',
    scope: 'read',
    status: 200,
    summary: 'Read a webhook endpoint',
    answers: Webhook,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      return bus.call(calls.readWebhook, { appId, webhookId: params.id })
    },
  }),
  route({
    name: 'changeWebhook',
    method: 'patch',
    path: onePath,
    key: 'admin',
    scope: 'settings',
    body: PatchWebhook,
    status: 200,
    summary: 'Change a webhook endpoint, or switch it off',
    description: addressNeeds,
    answers: Webhook,
    audit: elsewhere('webhook.changed'),
    async answer({ bus }, { appId, params, body, holds }) {
      if (body.url !== undefined) checkMayReceive(holds)
      return bus.call(calls.changeWebhook, { appId, webhookId: params.id, changes: body })
    },
  }),
  route({
    name: 'deleteWebhook',
    method: 'delete',
    path: onePath,
    key: 'admin',
    scope: 'settings',
    status: 204,
    summary: 'Delete a webhook endpoint and the events that wait for it',
    audit: elsewhere('webhook.deleted'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.deleteWebhook, { appId, webhookId: params.id }),
  }),
  route({
    name: 'enableWebhook',
    method: 'post',
    path: `${onePath}/enable`,
    key: 'admin',
    scope: 'settings',
    status: 200,
    summary: 'Switch a webhook endpoint on again; its failures are forgotten',
    answers: Webhook,
    audit: elsewhere('webhook.enabled'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.enableWebhook, { appId, webhookId: params.id }),
  }),
  route({
    name: 'rotateWebhookSecret',
    method: 'post',
    path: `${onePath}/rotate-secret`,
    key: 'admin',
    scope: 'settings',
    status: 201,
    summary: 'Make a new secret, shown this once; the old one is void at once',
    answers: WebhookSecret,
    audit: elsewhere('webhook.secret-rotated'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.rotateWebhookSecret, { appId, webhookId: params.id }),
  }),
  route({
    name: 'testWebhook',
    method: 'post',
    path: `${onePath}/test`,
    key: 'admin',
    scope: 'settings',
    status: 200,
    summary: 'Send a signed ping and answer the status of the response',
    answers: WebhookTested,
    audit: 'nothing',
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      return bus.call(calls.testWebhook, { appId, webhookId: params.id })
    },
  }),
  route({
    name: 'listWebhookDeliveries',
    method: 'get',
    path: `${onePath}/deliveries`,
    key: 'admin',
    scope: 'people',
    query: DeliveryQuery,
    status: 200,
    summary: 'List the deliveries of a webhook endpoint with their attempts, newest first',
    answers: WebhookDeliveryList,
    async answer({ db, bus }, { appId, params, query: { state, from, to, ...page } }) {
      await getApp(db, appId)
      const filters = {
        ...(state === undefined ? {} : { state }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      }
      return bus.call(calls.listDeliveries, { appId, webhookId: params.id, ...listRequestOf(page), ...filters })
    },
  }),
  route({
    name: 'readWebhookDelivery',
    method: 'get',
    path: `${onePath}/deliveries/:deliveryId`,
    texts: ['deliveryId'],
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'Read a delivery with its attempts and, while it is kept, its body',
    answers: DeliveryWithBody,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      return bus.call(calls.readDelivery, { appId, webhookId: params.id, deliveryId: params.deliveryId.slice(0, 40) })
    },
  }),
  route({
    name: 'replayWebhookDelivery',
    method: 'post',
    path: `${onePath}/deliveries/:deliveryId/replay`,
    texts: ['deliveryId'],
    key: 'admin',
    scope: 'settings',
    status: 202,
    summary: 'Send a delivery again, with the same id and bytes',
    answers: WebhookDelivery,
    audit: elsewhere('webhook.replayed', ({ id, answered }) => ({ id, deliveryId: answered })),
    answer: ({ bus }, { appId, params }) =>
      bus.call(calls.replayDelivery, { appId, webhookId: params.id, deliveryId: params.deliveryId.slice(0, 40) }),
  }),
]

export const events = [
  route({
    name: 'watchEventsOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/events',
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'Watch what happens to pushes, as server-sent events: what webhook endpoints would get',
    description:
      '`watching` comes first; then `event` for each event and, when more than 100 came in a second or the stream was not read, `dropped` with how many were left out. `heartbeat` comes whenever nothing else came for 10 seconds.',
    mediaType: 'text/event-stream',
    async answer({ db, tail }, { appId }) {
      await getApp(db, appId)
      return new EventStream(await tail.open(appId))
    },
  }),
]
