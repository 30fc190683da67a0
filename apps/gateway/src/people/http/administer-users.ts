import * as calls from '@herald/contracts/calls/audience'
import { listConversions, listPushes, newestPushes } from '@herald/contracts/calls/tracker'
import { PreferenceChanges } from '@herald/contracts/category'
import { Inbox } from '@herald/contracts/inbox'
import { AddressSearch, OwnedDevice, MaskedUser } from '@herald/contracts/person'
import { ChangeDevice, UserChanges } from '@herald/contracts/subscription'
import { ObjectId, text } from '@herald/contracts/text'
import { z } from 'zod'
import { listRequestOf, pageQuery } from '../../core/page.ts'
import type { Gateway } from '../../gateway.ts'
import { getApp } from '../../apps/store/apps.ts'
import { ShownPreferences } from '../../http/answers.ts'
import { changePreferences } from '../change-preferences.ts'
import { readInbox } from '../read-inbox.ts'
import { InboxPage } from './inbox.ts'
import { DeviceWithPushes, FoundUser, UserList, UserWithPushes } from './user-answers.ts'
import { shownOpen } from '../../core/open-push.ts'
import { elsewhere, route } from '../../http/route.ts'

const users = '/v1/admin/apps/:appId/users'
const oneUser = `${users}/:id` as const
const oneDevice = '/v1/admin/apps/:appId/subscriptions/:id'

const UsersQuery = z
  .strictObject({
    ...pageQuery,
    q: text(0, 128)
      .optional()
      .meta({ description: 'The id of a user or of a device, else the beginning of an external id, in its own letter case.' }),
    segmentId: ObjectId.optional().meta({ description: 'Only users with a reachable device in this saved segment.' }),
    tag: text(1, 128).optional().meta({ description: 'Only users with a reachable device who have this tag.' }),
    tagValue: text(0, 256).optional().meta({ description: 'The value of the tag; without it any value.' }),
  })
  .refine(({ tag, segmentId }) => tag === undefined || segmentId === undefined, {
    path: ['tag'],
    message: 'must be left out with segmentId',
  })
  .refine(({ tag, tagValue }) => tag !== undefined || tagValue === undefined, { path: ['tagValue'], message: 'needs tag' })

/** Makes the segment of users with a tag. A value in a query is a text, so a number and a truth value that are written like it count too. */
function segmentOfTag(tag: string, value: string | undefined) {
  const field = `tags.${tag}`
  if (value === undefined) return { field, op: 'exists', value: true }
  const values = [
    value,
    ...(value.trim() !== '' && Number.isFinite(Number(value)) ? [Number(value)] : []),
    ...(/^(true|false)$/.test(value) ? [value === 'true'] : []),
  ]
  return { or: values.map((one) => ({ field, op: 'eq', value: one })) }
}

/** The routes with which an operator finds users, reads them with their pushes, changes and erases them (spec: administration/users). */
export const usersOfApp = [
  route({
    name: 'listUsersOfApp',
    method: 'get',
    path: users,
    key: 'admin',
    scope: 'people',
    query: UsersQuery,
    status: 200,
    summary: 'List users with the number of their devices, newest first',
    answers: UserList,
    faults: ['not_found', 'invalid_segment'],
    async answer({ db, bus }, { appId, query: { segmentId, tag, tagValue, ...page } }) {
      await getApp(db, appId)
      const among = { ...(segmentId !== undefined && { segmentId }), ...(tag !== undefined && { segment: segmentOfTag(tag, tagValue) }) }
      return bus.call(calls.listUsers, { appId, ...listRequestOf(page), ...among })
    },
  }),
  route({
    name: 'searchUsersOfApp',
    method: 'post',
    path: `${users}/search`,
    key: 'admin',
    scope: 'people',
    body: AddressSearch,
    status: 200,
    summary: 'Find the user of a device by its token or endpoint',
    answers: FoundUser,
    audit: 'nothing',
    async answer({ db, bus }, { appId, body }) {
      await getApp(db, appId)
      return { user: await bus.call(calls.findUserByAddress, { appId, address: body }) }
    },
  }),
  route({
    name: 'readUserOfApp',
    method: 'get',
    path: oneUser,
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'Read a user with all devices, the newest pushes and the newest conversions',
    answers: UserWithPushes,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      const user = await bus.call(calls.readMaskedUser, { appId, user: { userId: params.id } })
      const { conversions } = await bus.call(listConversions, { appId, userId: user.id, after: null, limit: newest })
      return { ...user, pushes: await newestOfUser(bus, { appId, user }), conversions }
    },
  }),
  route({
    name: 'changeUserOfApp',
    method: 'patch',
    path: oneUser,
    key: 'admin',
    scope: 'people',
    body: UserChanges,
    status: 200,
    summary: 'Change a user',
    answers: MaskedUser,
    audit: elsewhere('user.changed'),
    async answer({ bus }, { appId, params, body }) {
      const user = { userId: params.id }
      await bus.call(calls.changeUser, { appId, user, changes: body })
      return bus.call(calls.readMaskedUser, { appId, user })
    },
  }),
  route({
    name: 'changePreferencesOfApp',
    method: 'patch',
    path: `${oneUser}/preferences`,
    key: 'admin',
    scope: 'people',
    body: PreferenceChanges,
    status: 200,
    summary: 'Let a user join or leave categories',
    description:
      'True joins, false leaves, null takes the own choice back, so that the default of the category holds. A locked category is 422.',
    answers: ShownPreferences,
    audit: elsewhere('user.changed'),
    // An operator is not the app's backend, so the change does not make the user known to it.
    answer: ({ bus }, { appId, params, body }) =>
      changePreferences(bus, { appId, of: { userId: params.id }, changes: body, keyKind: 'public' }),
  }),
  route({
    name: 'readInboxOfApp',
    method: 'get',
    path: `${oneUser}/inbox`,
    key: 'admin',
    scope: 'people',
    query: InboxPage,
    status: 200,
    summary: 'Read the inbox of a user as the user sees it',
    answers: Inbox,
    answer: (gateway, { appId, params, query: { limit, cursor } }) =>
      // An operator needs no identity token, as the app's backend needs none.
      readInbox(gateway, { appId, of: { userId: params.id }, keyKind: 'secret', token: undefined, limit, cursor }),
  }),
  route({
    name: 'deleteUserOfApp',
    method: 'delete',
    path: oneUser,
    key: 'admin',
    scope: 'people',
    status: 204,
    summary: 'Erase a user with all devices',
    audit: elsewhere('user.erased'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.deleteUser, { appId, user: { userId: params.id } }),
  }),
  route({
    name: 'readSubscriptionOfApp',
    method: 'get',
    path: oneDevice,
    key: 'admin',
    scope: 'people',
    status: 200,
    summary: 'Read a device with its owner and the newest pushes',
    answers: DeviceWithPushes,
    async answer({ db, bus }, { appId, params }) {
      await getApp(db, appId)
      const device = await bus.call(calls.readDevice, { appId, subscriptionId: params.id })
      return { ...device, pushes: await newestOfDevice(bus, { appId, subscriptionId: params.id }) }
    },
  }),
  route({
    name: 'changeSubscriptionOfApp',
    method: 'patch',
    path: oneDevice,
    key: 'admin',
    scope: 'people',
    body: ChangeDevice,
    status: 200,
    summary: 'Change what a device said of itself, whether it is opted in, or whether it is a test device',
    description: 'No API key can mark a test device: with one the frequency cap could be got around.',
    answers: OwnedDevice,
    faults: ['limit_reached'],
    audit: elsewhere('device.changed', undefined, (body) => (isMark(body) ? 'device.marked' : 'device.changed')),
    answer: ({ bus }, { appId, params, body }) => changeDevice(bus, { appId, subscriptionId: params.id, changes: body }),
  }),
  route({
    name: 'deleteSubscriptionOfApp',
    method: 'delete',
    path: oneDevice,
    key: 'admin',
    scope: 'people',
    status: 204,
    summary: 'Remove a device',
    audit: elsewhere('device.deleted'),
    answer: ({ bus }, { appId, params }) => bus.call(calls.deleteSubscription, { appId, subscriptionId: params.id }),
  }),
]

type Bus = Pick<Gateway['bus'], 'call'>

/** Whether a change of a device only sets or removes its mark as a test device. */
const isMark = (body: unknown): boolean => Object.keys(body ?? {}).join() === 'test'

/** Changes a device and gives the changed device. Faults: not_found, limit_reached. */
export async function changeDevice(
  bus: Bus,
  { appId, subscriptionId, changes: { test, ...changes } }: { appId: string; subscriptionId: string; changes: ChangeDevice },
): Promise<OwnedDevice> {
  if (test !== undefined) await bus.call(calls.markTestDevice, { appId, subscriptionId, test })
  if (Object.keys(changes).length > 0) await bus.call(calls.patchSubscription, { appId, subscriptionId, changes })
  return bus.call(calls.readDevice, { appId, subscriptionId })
}

const newest = 50
/**
 * At most this many devices of a user are searched for pushes. A user has at most 100 devices; the others in this number are devices that have left
 * the user.
 */
const mostDevices = 200

/** Reads the newest pushes of a user, open ones first. Pushes to devices that have left the user are among them. */
async function newestOfUser(bus: Bus, { appId, user }: { appId: string; user: MaskedUser }) {
  const of = { appId, userId: user.id }
  const [open, former] = await Promise.all([
    bus.call(calls.listOpenPushes, { ...of, limit: newest }),
    bus.call(calls.listFormerDevices, { ...of, after: null }),
  ])
  const devices = new Set([...user.subscriptions.map(({ id }) => id), ...former.subscriptionIds])
  const ended = await bus.call(newestPushes, { ...of, subscriptionIds: [...devices].slice(0, mostDevices), limit: newest })
  return [...open.items.map(shownOpen), ...ended.pushes].slice(0, newest)
}

async function newestOfDevice(bus: Bus, of: { appId: string; subscriptionId: string }) {
  const open = await bus.call(calls.listOpenPushes, { ...of, limit: newest })
  const ended = await bus.call(listPushes, { ...of, limit: newest })
  return [...open.items.map(shownOpen), ...ended.items].slice(0, newest)
}
