import { campaigns } from './campaigns.ts'
import { openClient, type Call, type Client } from './client.ts'
import { conversions } from './conversions.ts'
import { liveActivities } from './live-activities.ts'
import { notifications } from './notifications.ts'
import type { CallOptions, HeraldOptions } from './options.ts'
import { express, fastify, handler } from './receive.ts'
import type { Schema } from './schema.ts'
import { segments } from './segments.ts'
import { subscriptions } from './subscriptions.ts'
import { templates } from './templates.ts'
import { users } from './users.ts'
import { sign, signatureHeader, verify } from './webhooks.ts'

export type { Call } from './client.ts'
export { HeraldError, type ApiCode, type HeraldErrorCode, type HeraldErrorDetail, type SdkCode } from './errors.ts'
export { identityToken } from './identity.ts'
export type { ConversionEvent } from './conversions.ts'
export type { List, ListQuery, Page } from './list.ts'
export type { SendOptions } from './notifications.ts'
export type { CallOptions, HeraldOptions, RequestNotice, ResponseNotice } from './options.ts'
export type { SettledOptions, Whom } from './campaigns.ts'
export type * from './schema.ts'
export type { FailedRow, UpsertOptions, UpsertReport, UserRow } from './upsert-many.ts'
export type { UserRef } from './users.ts'
export type { On, ReceiverOptions } from './receive.ts'
export type { Delivery, VerifyOptions } from './webhooks.ts'

/** Receives, verifies and signs webhook deliveries. A receiver needs these functions and no API key. */
export const webhooks = { handler, express, fastify, verify, sign, signatureHeader }

/** A client of Herald's API for an app's backend. One client per process is enough. It opens no connection until it is called. */
export class Herald {
  readonly notifications: ReturnType<typeof notifications>
  readonly campaigns: ReturnType<typeof campaigns>
  readonly segments: ReturnType<typeof segments>
  readonly templates: ReturnType<typeof templates>
  readonly users: ReturnType<typeof users>
  readonly subscriptions: ReturnType<typeof subscriptions>
  readonly conversions: ReturnType<typeof conversions>
  readonly liveActivities: ReturnType<typeof liveActivities>
  readonly webhooks = webhooks
  readonly #client: Client

  /** Throws a TypeError for an option that cannot be right, such as a public key. */
  constructor(options: HeraldOptions) {
    const client = openClient(options)
    this.#client = client
    this.notifications = notifications(client)
    this.campaigns = campaigns(client)
    this.segments = segments(client)
    this.templates = templates(client)
    this.users = users(client)
    this.subscriptions = subscriptions(client)
    this.conversions = conversions(client)
    this.liveActivities = liveActivities(client)
  }

  /** Gives the public key with which web pages subscribe to pushes. */
  webPushKey(options: CallOptions = {}): Promise<Schema<'WebPushKey'>> {
    return this.#client.request('GET', '/v1/web-push-key', options)
  }

  /** Calls any operation of the API, also one that has no method here, with the same retries, time limits and errors. */
  request<Answer = unknown>(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.#client.request(method, path, call)
  }

  /** Calls any operation of the API and gives the raw Response, for streams. Once the headers have come no time limit holds. */
  open(method: string, path: string, call: Call = {}): Promise<Response> {
    return this.#client.open(method, path, call)
  }
}
