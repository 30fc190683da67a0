import * as calls from '@herald/contracts/calls/webhooks'
import { CreateWebhook, PatchWebhook } from '@herald/contracts/webhook'
import { z } from 'zod'
import { listRequestOf, pageQuery } from '../core/page.ts'
import type { Gateway } from '../gateway.ts'
import { readApp } from '../manage-app.ts'
import { insertAudit, type AuditAction } from '../store/audit.ts'
import { route } from './route.ts'

const path = '/v1/admin/apps/:appId/webhooks'
const onePath = `${path}/:id` as const

/** Written after the other app's commit: a crash in between loses the line and not the change. */
const note = ({ db }: Gateway, appId: string, action: AuditAction, id: string) => insertAudit(db, { appId, action, subject: { id } })

/** Endpoints live in webhooks; that the app exists is known here. A call for an app that does not answers 404. */
export const webhooks = [
  route({
    name: 'createWebhook',
    method: 'post',
    path,
    key: 'admin',
    body: CreateWebhook,
    status: 201,
    summary: 'Make a webhook endpoint; its secret is shown this once',
    async answer(gateway, { appId, body }) {
      await readApp(gateway.db, appId)
      const created = await gateway.bus.call(calls.createWebhook, { appId, webhook: body })
      await note(gateway, appId, 'webhook.created', created.id)
      return created
    },
  }),
  route({
    name: 'listWebhooks',
    method: 'get',
    path,
    key: 'admin',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the webhook endpoints of an app, newest first',
    async answer({ db, bus }, { appId, query }) {
      await readApp(db, appId)
      return bus.call(calls.listWebhooks, { appId, ...listRequestOf(query) })
    },
  }),
  route({
    name: 'readWebhook',
    method: 'get',
    path: onePath,
    key: 'admin',
    status: 200,
    summary: 'Read a webhook endpoint',
    async answer({ db, bus }, { appId, params }) {
      await readApp(db, appId)
      return bus.call(calls.readWebhook, { appId, webhookId: params.id })
    },
  }),
  route({
    name: 'changeWebhook',
    method: 'patch',
    path: onePath,
    key: 'admin',
    body: PatchWebhook,
    status: 200,
    summary: 'Change a webhook endpoint, or switch it off',
    async answer(gateway, { appId, params, body }) {
      await readApp(gateway.db, appId)
      const answer = await gateway.bus.call(calls.changeWebhook, { appId, webhookId: params.id, changes: body })
      await note(gateway, appId, 'webhook.changed', params.id)
      return answer
    },
  }),
  route({
    name: 'deleteWebhook',
    method: 'delete',
    path: onePath,
    key: 'admin',
    status: 204,
    summary: 'Delete a webhook endpoint and what waits for it',
    async answer(gateway, { appId, params }) {
      await readApp(gateway.db, appId)
      await gateway.bus.call(calls.deleteWebhook, { appId, webhookId: params.id })
      await note(gateway, appId, 'webhook.deleted', params.id)
    },
  }),
  route({
    name: 'enableWebhook',
    method: 'post',
    path: `${onePath}/enable`,
    key: 'admin',
    status: 200,
    summary: 'Switch a webhook endpoint on again; its failures are forgotten',
    async answer(gateway, { appId, params }) {
      await readApp(gateway.db, appId)
      const answer = await gateway.bus.call(calls.enableWebhook, { appId, webhookId: params.id })
      await note(gateway, appId, 'webhook.enabled', params.id)
      return answer
    },
  }),
  route({
    name: 'rotateWebhookSecret',
    method: 'post',
    path: `${onePath}/rotate-secret`,
    key: 'admin',
    status: 201,
    summary: 'Make a new secret, shown this once; the old one is void at once',
    async answer(gateway, { appId, params }) {
      await readApp(gateway.db, appId)
      const answer = await gateway.bus.call(calls.rotateWebhookSecret, { appId, webhookId: params.id })
      await note(gateway, appId, 'webhook.secret-rotated', params.id)
      return answer
    },
  }),
  route({
    name: 'testWebhook',
    method: 'post',
    path: `${onePath}/test`,
    key: 'admin',
    status: 200,
    summary: 'Send a signed ping and answer the status of the response',
    async answer({ db, bus }, { appId, params }) {
      await readApp(db, appId)
      return bus.call(calls.testWebhook, { appId, webhookId: params.id })
    },
  }),
  route({
    name: 'listWebhookDeliveries',
    method: 'get',
    path: `${onePath}/deliveries`,
    key: 'admin',
    query: z.strictObject(pageQuery),
    status: 200,
    summary: 'List the deliveries of a webhook endpoint with their attempts, newest first',
    async answer({ db, bus }, { appId, params, query }) {
      await readApp(db, appId)
      return bus.call(calls.listDeliveries, { appId, webhookId: params.id, ...listRequestOf(query) })
    },
  }),
  route({
    name: 'replayWebhookDelivery',
    method: 'post',
    path: `${onePath}/deliveries/:deliveryId/replay`,
    texts: ['deliveryId'],
    key: 'admin',
    status: 202,
    summary: 'Send a delivery again, with the same id and bytes',
    async answer({ db, bus }, { appId, params }) {
      await readApp(db, appId)
      return bus.call(calls.replayDelivery, { appId, webhookId: params.id, deliveryId: params.deliveryId.slice(0, 40) })
    },
  }),
]
