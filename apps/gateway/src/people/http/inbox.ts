import { inboxPage, Inbox, MarkInbox } from '@herald/contracts/inbox'
import { z } from 'zod'
import { route } from '../../http/route.ts'
import { hideItem, markInbox, readInbox } from '../read-inbox.ts'
import { byExternalId, byId } from './users.ts'

const forDevices = { key: 'public', scope: 'subscriptions:write', identified: true } as const
const reads = { key: 'secret', scope: 'users:read' } as const
const writes = { key: 'secret', scope: 'users:write' } as const
const ofDevice = '/v1/subscriptions/:id/inbox'

export const InboxPage = z.strictObject({
  limit: z.coerce.number().int().min(1).max(inboxPage).default(20),
  cursor: z.string().max(200).optional(),
})

const texts = {
  read:
    'Sends with `inbox: true` of the last days (the app’s setting `inboxDays`), newest first, one item for each send: also when its push failed or was ' +
    'skipped because the person has switched pushes off. Texts are in the person’s language of now.',
  mark: '`ids` names items, `all: true` means all that were sent up to `before` or now. `read: false` makes them unread again.',
} as const

const identity = ' With a public key an identified owner needs x-identity-token, whatever the app’s setting says.'

const ofUsers = [byId, byExternalId].flatMap(({ path, suffix, texts: ofPath, address }) => [
  route({
    ...reads,
    name: `readInbox${suffix}`,
    method: 'get',
    path: `${path}/inbox`,
    texts: ofPath,
    query: InboxPage,
    status: 200,
    summary: 'Read a person’s inbox',
    description: texts.read,
    answers: Inbox,
    faults: ['not_found'],
    answer: (gateway, { appId, params, keyKind, query: { limit, cursor } }) =>
      readInbox(gateway, { appId, of: address(params), keyKind, token: undefined, limit, cursor }),
  }),
  route({
    ...writes,
    name: `markInbox${suffix}`,
    method: 'post',
    path: `${path}/inbox/read`,
    texts: ofPath,
    body: MarkInbox,
    status: 204,
    summary: 'Mark items of a person’s inbox as read',
    description: texts.mark,
    faults: ['not_found'],
    answer: (gateway, { appId, params, keyKind, body }) =>
      markInbox(gateway, { appId, of: address(params), keyKind, token: undefined, mark: body }),
  }),
  route({
    ...writes,
    name: `hideInboxItem${suffix}`,
    method: 'delete',
    path: `${path}/inbox/:itemId`,
    texts: ofPath,
    status: 204,
    summary: 'Hide an item of a person’s inbox',
    description: 'The item does not come back. An unknown item changes nothing.',
    faults: ['not_found'],
    answer: (gateway, { appId, params, keyKind }) =>
      hideItem(gateway, { appId, of: address(params), keyKind, token: undefined, campaignId: params.itemId }),
  }),
])

/** The routes of the inbox (spec: inbox/list, inbox/read, inbox/hide). */
export const inbox = [
  route({
    ...forDevices,
    name: 'readInboxOfDevice',
    method: 'get',
    path: ofDevice,
    query: InboxPage,
    status: 200,
    summary: 'Read the inbox of a device’s owner',
    description: texts.read + identity,
    answers: Inbox,
    faults: ['not_found', 'forbidden'],
    answer: (gateway, { appId, params, keyKind, query: { limit, cursor }, header }) =>
      readInbox(gateway, { appId, of: { subscriptionId: params.id }, keyKind, token: header('x-identity-token'), limit, cursor }),
  }),
  route({
    ...forDevices,
    name: 'markInboxOfDevice',
    method: 'post',
    path: `${ofDevice}/read`,
    body: MarkInbox,
    status: 204,
    summary: 'Mark items of the inbox of a device’s owner as read',
    description: texts.mark + identity,
    faults: ['not_found', 'forbidden'],
    answer: (gateway, { appId, params, keyKind, body, header }) =>
      markInbox(gateway, { appId, of: { subscriptionId: params.id }, keyKind, token: header('x-identity-token'), mark: body }),
  }),
  route({
    ...forDevices,
    name: 'hideInboxItemOfDevice',
    method: 'delete',
    path: `${ofDevice}/:itemId`,
    status: 204,
    summary: 'Hide an item of the inbox of a device’s owner',
    description: `The item does not come back. An unknown item changes nothing.${identity}`,
    faults: ['not_found', 'forbidden'],
    answer: (gateway, { appId, params, keyKind, header }) =>
      hideItem(gateway, {
        appId,
        of: { subscriptionId: params.id },
        keyKind,
        token: header('x-identity-token'),
        campaignId: params.itemId,
      }),
  }),
  ...ofUsers,
]
