import type { Client } from './client.ts'
import type { CallOptions } from './options.ts'
import { gone } from './recover.ts'
import type { Schema, UserChanges } from './schema.ts'

const path = '/v1/subscriptions'
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`

/** Devices, for backends that register them for their apps. Apps and pages do it themselves, with a public key. */
export const subscriptions = (client: Client) => ({
  /** Registers a device, or finds it again by its token or endpoint. A device that had opted out is opted in again. */
  register: (device: Schema<'RegisterSubscriptionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'Registered'>>('POST', path, { ...options, body: device, repeatable: true }),
  /** A browser's endpoint has changed: the device keeps its id. */
  rotate: (body: Schema<'RotateSubscriptionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'Rotated'>>('POST', `${path}/rotate`, { ...options, body }),
  update: (id: string, changes: Schema<'ChangeSubscriptionBody'>, options: CallOptions = {}) =>
    client.request<Schema<'OptedIn'>>('PATCH', pathOf(id), { ...options, body: changes }),
  delete: (id: string, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(id), { ...options, recover: gone }),
  /** Says that the app came to the foreground. A second session within 30 minutes is not counted. */
  startSession: (id: string, body: Schema<'StartSessionBody'> = {}, options: CallOptions = {}) =>
    client.request<Schema<'Session'>>('POST', `${pathOf(id)}/session`, { ...options, body, repeatable: true }),
  /** The device belongs to the user with this external id from now on. */
  login: (id: string, externalId: string, options: CallOptions = {}) =>
    client.request<Schema<'LoggedIn'>>('POST', `${pathOf(id)}/login`, { ...options, body: { externalId }, repeatable: true }),
  /** The device belongs to a new anonymous user from now on. */
  logout: (id: string, options: CallOptions = {}) => client.request<Schema<'LoggedOut'>>('POST', `${pathOf(id)}/logout`, options),
  /** Changes the user who owns the device. */
  updateUser: (id: string, changes: UserChanges, options: CallOptions = {}) =>
    client.request<Schema<'OwnerChanged'>>('PATCH', `${pathOf(id)}/user`, { ...options, body: changes }),
})
