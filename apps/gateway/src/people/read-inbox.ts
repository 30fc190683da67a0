import type { KeyKind } from '@herald/contracts/administration'
import type { FrozenSend } from '@herald/contracts/batch'
import { readInboxOwner, type InboxOwner, type PreferencesOf } from '@herald/contracts/calls/audience'
import { inboxSendsAtOnce, readInboxSends } from '@herald/contracts/calls/campaigns'
import { hideInboxItem, markInbox as markCall, readInbox as readCall, type InboxPush } from '@herald/contracts/calls/tracker'
import type { Inbox, InboxItem, MarkInbox } from '@herald/contracts/inbox'
import { prepareSend } from '@herald/contracts/prepare-send'
import type { Recipient } from '@herald/contracts/recipient'
import { getApp } from '../apps/store/apps.ts'
import type { Gateway } from '../gateway.ts'
import { checkIdentity } from './check-identity.ts'

type InboxGateway = Pick<Gateway, 'bus' | 'db' | 'identityRules' | 'sealer'>
/** Whose inbox a request is about. A request with a public key names a device, and `token` proves who its owner is. */
type Asked = { appId: string; of: PreferencesOf; keyKind: KeyKind; token: string | undefined }

/**
 * Lists an inbox, newest first, with the texts as they are for the person now (spec: inbox/item). Faults: not_found; forbidden without a valid identity
 * token of an identified owner; invalid_body at `cursor`.
 */
export async function readInbox(
  gateway: InboxGateway,
  { limit, cursor, ...asked }: Asked & { limit: number; cursor: string | undefined },
): Promise<Inbox> {
  const { bus, db } = gateway
  const { appId } = asked
  const { user, subscriptionIds, reader } = await ownerOf(gateway, asked)
  const { settings } = await getApp(db, appId)
  const found = await bus.call(readCall, {
    ...{ appId, userId: user.id, subscriptionIds, days: settings.inboxDays, limit },
    ...(cursor !== undefined && { cursor }),
  })
  const sends = new Map((await sendsOf(bus, appId, found.items)).map((send) => [send.campaignId, send]))
  const items = found.items.flatMap((push): InboxItem[] => {
    const send = sends.get(push.campaignId)
    const item = send && reader && itemOf({ ...send, defaultTimezone: settings.defaultTimezone }, reader, push)
    return item ? [item] : []
  })
  return { items, unread: found.unread, nextCursor: found.nextCursor }
}

/** Marks items as read or unread (spec: inbox/read). Faults: not_found, forbidden. */
export async function markInbox(gateway: InboxGateway, { mark, ...asked }: Asked & { mark: MarkInbox }): Promise<void> {
  const { user } = await ownerOf(gateway, asked)
  await gateway.bus.call(markCall, { appId: asked.appId, userId: user.id, mark })
}

/** Hides an item for good (spec: inbox/hide). Faults: not_found, forbidden. */
export async function hideItem(gateway: InboxGateway, { campaignId, ...asked }: Asked & { campaignId: string }): Promise<void> {
  const { user } = await ownerOf(gateway, asked)
  await gateway.bus.call(hideInboxItem, { appId: asked.appId, userId: user.id, campaignId })
}

/**
 * Gives the owner of an inbox. With a public key an identified owner's token is always needed: who knows the id of a device must not read a person's
 * messages (spec: inbox/identity).
 */
async function ownerOf({ bus, ...gateway }: InboxGateway, { appId, of, keyKind, token }: Asked): Promise<InboxOwner> {
  const owner = await bus.call(readInboxOwner, { appId, of })
  await checkIdentity(gateway, { appId, keyKind, externalId: owner.user.externalId ?? undefined, token, isAlways: true })
  return owner
}

/** Reads the sends of items in portions, because a call holds less than 50 large contents. */
async function sendsOf(bus: InboxGateway['bus'], appId: string, items: InboxPush[]): Promise<FrozenSend[]> {
  const ids = items.map(({ campaignId }) => campaignId)
  const portions = Array.from({ length: Math.ceil(ids.length / inboxSendsAtOnce) }, (_, place) =>
    ids.slice(place * inboxSendsAtOnce, (place + 1) * inboxSendsAtOnce),
  )
  const answers = await Promise.all(portions.map((campaignIds) => bus.call(readInboxSends, { appId, campaignIds })))
  return answers.flatMap(({ sends }) => sends)
}

/** Makes an item with the function by which a dispatcher renders a push; undefined when nothing is left of the text. */
function itemOf(send: FrozenSend, reader: Recipient, { campaignId, variant, sentAt, readAt, opened }: InboxPush): InboxItem | undefined {
  const entry = prepareSend(send).shownTo(reader, variant ?? '')?.entry
  if (!entry) return undefined
  const { title, body, url = null, image = null, actions = [] } = entry
  const shown = actions.map((action) => ({ id: action.id, title: action.title, url: action.url ?? null }))
  const category = send.category?.id ?? null
  return { id: campaignId, title, body, url, image, actions: shown, data: send.data, category, sentAt, readAt, opened }
}
