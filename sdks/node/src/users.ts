import type { Client } from './client.ts'
import type { CallOptions } from './options.ts'
import { gone } from './recover.ts'
import type { Schema, User, UserChanges } from './schema.ts'
import { upsertMany, type UpsertOptions, type UserRow } from './upsert-many.ts'

/** A user by Herald's id or by yours. */
export type UserRef = { id: string } | { externalId: string }

const pathOf = (user: UserRef): string =>
  'id' in user ? `/v1/users/${encodeURIComponent(user.id)}` : `/v1/users/by-external-id/${encodeURIComponent(user.externalId)}`

export const users = (client: Client) => ({
  /** A user with the devices: `herald.users.get({ externalId: 'customer-7' })`. */
  get: (user: UserRef, options: CallOptions = {}) => client.request<User>('GET', pathOf(user), options),
  /** Changes what is given; tags are merged, and null deletes one. An unknown external id makes a user without devices. */
  update: (user: UserRef, changes: UserChanges, options: CallOptions = {}) =>
    client.request<User>('PATCH', pathOf(user), { ...options, body: changes }),
  /** Erases a user and all their devices. */
  delete: (user: UserRef, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(user), { ...options, recover: gone }),

  /** Changes up to 500 users in one request, each with a result of its own in the order given. */
  updateMany: (rows: readonly UserRow[], options: CallOptions = {}) =>
    client.request<Schema<'UsersChanged'>>('POST', '/v1/users/batch', { ...options, body: { users: rows }, repeatable: true }),
  /** Changes any number of users, from an array or a stream, some requests at a time. Rows that are refused are in the report. */
  upsertMany: (rows: Iterable<UserRow> | AsyncIterable<UserRow>, options: UpsertOptions = {}) => upsertMany(client, rows, options),
})
