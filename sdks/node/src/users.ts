import type { Client } from './client.ts'
import type { ListQuery } from './list.ts'
import type { CallOptions } from './options.ts'
import { gone } from './recover.ts'
import type { Schema, User, UserChanges } from './schema.ts'
import { upsertMany, type UpsertOptions, type UserRow } from './upsert-many.ts'

/** Names a user by Herald's id or by your external id. */
export type UserRef = { id: string } | { externalId: string }

const pathOf = (user: UserRef): string =>
  'id' in user ? `/v1/users/${encodeURIComponent(user.id)}` : `/v1/users/by-external-id/${encodeURIComponent(user.externalId)}`

export const users = (client: Client) => ({
  /** Gives a user with the user's devices: `herald.users.get({ externalId: 'customer-7' })`. */
  get: (user: UserRef, options: CallOptions = {}) => client.request<User>('GET', pathOf(user), options),
  /** Changes the given fields of a user. Tags are merged, and null deletes a tag. For an unknown external id Herald makes a user without devices. */
  update: (user: UserRef, changes: UserChanges, options: CallOptions = {}) =>
    client.request<User>('PATCH', pathOf(user), { ...options, body: changes }),
  /** Gives all categories, and which of them the user is in. */
  preferences: (user: UserRef, options: CallOptions = {}) =>
    client.request<Schema<'ShownPreferences'>>('GET', `${pathOf(user)}/preferences`, options),
  /** Lets a user join (true) or leave (false) categories; null takes the user's own choice back. */
  updatePreferences: (user: UserRef, categories: Record<string, boolean | null>, options: CallOptions = {}) =>
    client.request<Schema<'ShownPreferences'>>('PATCH', `${pathOf(user)}/preferences`, { ...options, body: { categories } }),
  /** Gives a page of the user's inbox, newest first, with the number of unread items among the newest 100. */
  inbox: (user: UserRef, { limit, cursor }: Omit<ListQuery, 'q'> = {}, options: CallOptions = {}) =>
    client.request<Schema<'Inbox'>>('GET', `${pathOf(user)}/inbox`, { ...options, query: { limit, cursor } }),
  /** Marks items of the user's inbox as read: by id, or all up to a moment. */
  markInbox: (user: UserRef, mark: Schema<'MarkInboxBody'>, options: CallOptions = {}) =>
    client.request<void>('POST', `${pathOf(user)}/inbox/read`, { ...options, body: mark, repeatable: true }),
  /** Hides an item of the user's inbox for good. */
  hideInboxItem: (user: UserRef, itemId: string, options: CallOptions = {}) =>
    client.request<void>('DELETE', `${pathOf(user)}/inbox/${encodeURIComponent(itemId)}`, options),
  /** Deletes a user and all devices of the user. */
  delete: (user: UserRef, options: CallOptions = {}) => client.request<void>('DELETE', pathOf(user), { ...options, recover: gone }),

  /** Changes up to 500 users in one request. Gives a result for each, in the same order. */
  updateMany: (rows: readonly UserRow[], options: CallOptions = {}) =>
    client.request<Schema<'UsersChanged'>>('POST', '/v1/users/batch', { ...options, body: { users: rows }, repeatable: true }),
  /** Changes any number of users, from an array or a stream, with several requests at a time. The report lists the rows that failed. */
  upsertMany: (rows: Iterable<UserRow> | AsyncIterable<UserRow>, options: UpsertOptions = {}) => upsertMany(client, rows, options),
})
