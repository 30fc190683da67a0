import type { Client } from './client.ts'
import type { ListQuery } from './list.ts'
import type { CallOptions } from './options.ts'
import { HeraldError } from './errors.ts'
import { gone } from './recover.ts'
import type { Schema, UserChanges } from './schema.ts'

const path = '/v1/subscriptions'
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`

/** The operations on devices, for a backend that registers its users' devices. Mobile apps and pages register themselves, with a public key. */
export const subscriptions = (client: Client) => ({
  /**
   * Registers a device. A known token or endpoint keeps its device's id and is opted in again. When Herald refuses only the language or time zone,
   * the device is registered without it.
   */
  async register(device: Schema<'RegisterSubscriptionBody'>, options: CallOptions = {}) {
    const send = (body: object) => client.request<Schema<'Registered'>>('POST', path, { ...options, body, repeatable: true })
    return send(device).catch((error: unknown) => {
      const refused = error instanceof HeraldError && error.status === 422 ? error.details.map(({ path: field }): string => field) : []
      if (refused.length === 0 || !refused.every((field) => ['language', 'timezone'].includes(field))) throw error
      return send(Object.fromEntries(Object.entries(device).filter(([field]) => !refused.includes(field))))
    })
  },
  /** Replaces the endpoint of a browser by its new one. The device keeps its id. */
  rotate: (body: Schema<'RotateSubscriptionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'Rotated'>>('POST', `${path}/rotate`, { ...options, body }),
  update: (id: string, changes: Schema<'ChangeSubscriptionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'OptedIn'>>('PATCH', pathOf(id), { ...options, body: changes }),
  delete: (id: string, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(id), { ...options, recover: gone }),
  /** Reports that the user has opened the mobile app or page. A second session within 30 minutes is not counted. */
  startSession: (id: string, body: Schema<'StartSessionBody'> = {}, options: CallOptions = {}) =>
    client.request<Schema<'Session'>>('POST', `${pathOf(id)}/session`, { ...options, body, repeatable: true }),
  /** Gives the device to the user with this external id. */
  login: (id: string, externalId: string, options: CallOptions = {}) =>
    client.request<Schema<'LoggedIn'>>('POST', `${pathOf(id)}/login`, { ...options, body: { externalId }, repeatable: true }),
  /** Gives the device to a new anonymous user. */
  logout: (id: string, options: CallOptions = {}) => client.request<Schema<'LoggedOut'>>('POST', `${pathOf(id)}/logout`, options),
  /** Changes the language, tags and other data of the user who owns the device. */
  updateUser: (id: string, changes: UserChanges, options: CallOptions = {}) =>
    client.request<Schema<'OwnerChanged'>>('PATCH', `${pathOf(id)}/user`, { ...options, body: changes }),
  /** Gives all categories, and which of them the owner of the device is in. */
  preferences: (id: string, options: CallOptions = {}) =>
    client.request<Schema<'ShownPreferences'>>('GET', `${pathOf(id)}/preferences`, options),
  /** Lets the owner of the device join (true) or leave (false) categories; null takes the own choice back. */
  updatePreferences: (id: string, categories: Record<string, boolean | null>, options: CallOptions = {}) =>
    client.request<Schema<'ShownPreferences'>>('PATCH', `${pathOf(id)}/preferences`, { ...options, body: { categories } }),
  /** Gives a page of the inbox of the device's owner, newest first. */
  inbox: (id: string, { limit, cursor }: Omit<ListQuery, 'q'> = {}, options: CallOptions = {}) =>
    client.request<Schema<'Inbox'>>('GET', `${pathOf(id)}/inbox`, { ...options, query: { limit, cursor } }),
  /** Marks items of the inbox of the device's owner as read. */
  markInbox: (id: string, mark: Schema<'MarkInboxBody'>, options: CallOptions = {}) =>
    client.request<void>('POST', `${pathOf(id)}/inbox/read`, { ...options, body: mark, repeatable: true }),
  /** Hides an item of the inbox of the device's owner for good. */
  hideInboxItem: (id: string, itemId: string, options: CallOptions = {}) =>
    client.request<void>('DELETE', `${pathOf(id)}/inbox/${encodeURIComponent(itemId)}`, options),
  /** Keeps the token with which an iOS device starts this type of Live Activity. */
  putActivityStartToken: (id: string, attributesType: string, token: string, options: CallOptions = {}) =>
    client.request<Schema<'TokenKept'>>('PUT', `${pathOf(id)}/activity-start-tokens/${encodeURIComponent(attributesType)}`, {
      ...options,
      body: { token },
    }),
  /** Keeps the token with which the Live Activity of an iOS device is updated. */
  putActivity: (id: string, activityId: string, body: Schema<'PutActivityBody'>, options: CallOptions = {}) =>
    client.request<Schema<'TokenKept'>>('PUT', `${pathOf(id)}/activities/${encodeURIComponent(activityId)}`, { ...options, body }),
  /** Forgets the device's token for an activity that has ended. */
  deleteActivity: (id: string, activityId: string, options: CallOptions = {}) =>
    client.request<void>('DELETE', `${pathOf(id)}/activities/${encodeURIComponent(activityId)}`, options),
})
