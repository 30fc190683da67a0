import * as calls from '@herald/contracts/calls/webhooks'
import type { Event } from '@herald/contracts/event'
import { announcements } from '@herald/contracts/topology'
import type { Bus } from '@herald/service/bus'
import { takeAnnouncement } from './collect-events.ts'
import { eraseApp } from './erase-app.ts'
import { eraseUser } from './erase-user.ts'
import { exportDeliveries } from './export-deliveries.ts'
import { listDeliveries, readDelivery, replayDelivery } from './manage-delivery.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  readWebhook,
  rotateSecret,
  testWebhook,
} from './manage-endpoint.ts'
import { watchEvents } from './watch-events.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * At most this many announcements are fetched and not yet stored. They are the eight of the commit that is under way, and those of two more
 * commits that wait.
 */
const announcementsInHand = 24

/** Connects each call with the function that answers it, and announcements with the functions that store and show them. */
export async function wireWebhooks(bus: Bus, webhooks: Webhooks, show: (events: Event[]) => void): Promise<void> {
  /** Makes the function that answers a call that only reads. It uses the connections for reads, which apps use in turn. */
  const onReads =
    <Request extends { appId: string }, Answer>(flow: (webhooks: Webhooks, request: Request) => Promise<Answer>) =>
    (request: Request) =>
      webhooks.reads((db) => flow({ ...webhooks, db }, request), { appId: request.appId })

  bus.answer(calls.createWebhook, (request) => createWebhook(webhooks, request))
  bus.answer(calls.listWebhooks, onReads(listWebhooks))
  bus.answer(calls.readWebhook, onReads(readWebhook))
  bus.answer(calls.changeWebhook, (request) => changeWebhook(webhooks, request))
  bus.answer(calls.deleteWebhook, (request) => deleteWebhook(webhooks, request))
  bus.answer(calls.enableWebhook, (request) => enableWebhook(webhooks, request))
  bus.answer(calls.rotateWebhookSecret, (request) => rotateSecret(webhooks, request))
  bus.answer(calls.testWebhook, (request) => testWebhook(webhooks, request))
  bus.answer(calls.listDeliveries, onReads(listDeliveries))
  bus.answer(calls.exportDeliveries, onReads(exportDeliveries))
  bus.answer(calls.readDelivery, onReads(readDelivery))
  bus.answer(calls.replayDelivery, (request) => replayDelivery(webhooks, request))
  bus.answer(calls.eraseUser, (request) => eraseUser(webhooks, request))
  bus.answer(calls.eraseWebhooksOfApp, (request) => eraseApp(webhooks, request))
  bus.answer(calls.watchEvents, (request) => watchEvents(webhooks, request))

  bus.consume(announcements, { atOnce: announcementsInHand }, async (announcement) => {
    if (!(await takeAnnouncement(webhooks, announcement))) return
    show(announcement.events)
    // Tracker or audience may delete its row of the announcement only now, when webhooks has the events. Webhooks does not wait for the answer: while
    // the tracker is away, its announcements would keep those of audience waiting.
    webhooks.confirm[announcement.owner](announcement.announcementId)
  })
}
