import { z } from 'zod'
import { KeyKind } from '../administration.ts'
import { environments, FinishBatch, ProviderRate, smallSend, type FrozenSend, type TakeAnswer, type GivenBatch } from '../batch.ts'
import type { AppSettings } from '../app.ts'
import { call, type Broadcast } from '../call.ts'
import type { FrozenTarget } from './campaigns.ts'
import type { CircuitEnvironment } from '../batch.ts'
import { ChosenSamples, type AudienceDryRun } from '../dry-run.ts'
import { Listener } from '../event.ts'
import type { FaultCode } from '../fault.ts'
import { mostExplained, type ExplainedStep, type Verdict, type WaitingFor } from '../explain.ts'
import { ImportLot, StartImport, type ImportError, type ImportReport } from '../import.ts'
import type { Attempt, FailureCode } from '../outcome.ts'
import { ActivityId, AttributesType, StartToken } from '../live-activity.ts'
import { ListRequest, type Listed } from '../page.ts'
import { AddressSearch, addressForms, type ExportedUser, type OwnedDevice, type MaskedUser, type UserSummary } from '../person.ts'
import { perPlatform, platforms, type Platform } from '../platform.ts'
import type { Recipient } from '../recipient.ts'
import { SaveSegment, type SavedSegment, type SegmentCount } from '../saved-segment.ts'
import type { DeviceCounts, DeviceDay } from '../series.ts'
import { PatchSubscription, RegisterSubscription, RotateBody, SessionBody, UserChanges } from '../subscription.ts'
import { Choices, mostCategories } from '../category.ts'
import { TestSelector, type NotQueued, type TestDevice } from '../test-send.ts'
import { UserAddress, type User } from '../user.ts'
import { mostUsersInBatch, UserInBatch, type UserInBatchAnswer } from '../user-batch.ts'
import { campaignFlows, FlowChange, type CampaignFlow } from '../campaign.ts'
import { CategoryId, Id } from '../text.ts'

/**
 * The kind of the request's key. It matters because a user whom only requests with a public key know may be removed as abandoned. Audience treats a
 * request without a kind like one with a secret key.
 */
const keyKind = KeyKind.optional()

/** Registers a device, or updates the device when it is registered already. The gateway has checked the body (spec: identity/register). */
export const registerSubscription = call<{ id: string; platform: Platform; userId: string }>()(
  'rpc.audience.register-subscription',
  z.object({ appId: Id, subscription: RegisterSubscription, keyKind }),
)

/** The user of a conversion, with at most 200 devices: those that the user has, and then those that have left the user. */
export type Converter = { userId: string; subscriptionIds: string[] }
/** Finds the users of conversions, by their own ids or by a device. Null for one whom the app does not have. The answers are in the order given. */
export const findConverters = call<{ users: (Converter | null)[] }>()(
  'rpc.audience.find-converters',
  z.object({
    appId: Id,
    users: z
      .array(z.union([UserAddress, z.object({ subscriptionId: Id })]))
      .min(1)
      .max(100),
  }),
)

/** Reads the definition of a saved segment as it is now. Null when there is no such segment, or it belongs to another app. */
export const findSegment = call<{ definition: unknown } | null>()('rpc.audience.find-segment', z.object({ appId: Id, segmentId: Id }))

const TakeBatch = z.object({
  batchId: Id,
  /** The app of the batch: audience serves waiting takes with apps taking turns. */
  appId: Id,
  knowsSend: z.boolean(),
  from: z.number().int(),
  takes: z.number().int().nullable(),
  environment: z.enum(environments),
  credentialsVersion: z.number().int().nullable(),
  /** The rate that the credentials share; null when they have none. */
  rate: ProviderRate.nullable(),
})
export type TakeBatch = z.infer<typeof TakeBatch>

/**
 * Takes a batch and reads its recipients as they are now. `takes` (with `from`): a further part of a batch that the dispatcher has. Newer credentials
 * than those of the circuit's answers may probe before the next probe is due.
 */
export const takeBatch = call<TakeAnswer>()('rpc.audience.take-batch', TakeBatch, 5000)

/** The error of one batch of a call, which does not fail the others. */
export type Failed = { failed: FaultCode }

/** Takes several small batches. The answers have the order of the batches. */
export const takeBatches = call<{ answers: (TakeAnswer | Failed)[] }>()(
  'rpc.audience.take-batches',
  z.object({ batches: z.array(TakeBatch).min(1).max(8) }),
  5000,
)

/** At most this many batches are in one answer to `takeNext`: those of the sends that begin together. The others of a commit go by pointers. */
export const nextAtOnce = 50
/** A dispatcher that calls `takeNext` waits at most this long for a batch. It waits a little longer when audience is just making a batch for it. */
export const nextWaitMs = 1_000
const Room = z.number().int().min(0)
/**
 * Waits for batches of small sends, leased by the transaction that makes them, up to `nextWaitMs`. `room`: free places by platform; `full`: apps
 * with their most in work. `by`: who answers. `at`: its monotonic clock when it read the content.
 */
export const takeNext = call<{ batches: GivenBatch[]; by?: string; at?: number }>()(
  'rpc.audience.take-next',
  z.object({ room: z.object(perPlatform(() => Room)), full: z.array(Id).max(100) }),
  8_000,
)

/**
 * Renews a batch's lease to 12 s from now. When `held` is false the caller must send no more of it. `unknown`: the batch's number when the ledger
 * does not know its pushes; audience then reports a held batch again.
 */
export const renewBatch = call<{ held: boolean }>()(
  'rpc.audience.renew-batch',
  z.object({
    batchId: Id,
    appId: Id,
    takes: z.number().int(),
    unknown: z.object({ campaignId: Id, no: z.number().int().min(1) }).optional(),
  }),
)

/**
 * Ends a batch, after the tracker has committed all outcomes that the dispatcher reported. The answer is `lost`, and nothing has changed, when
 * another dispatcher has taken the batch or the batch is done already.
 */
export const finishBatch = call<{ answer: 'done' | 'lost' }>()('rpc.audience.finish-batch', FinishBatch, 5000)
/** Ends several small batches. The answers have the order of the batches. */
export const finishBatches = call<{ answers: ('done' | 'lost' | Failed)[] }>()(
  'rpc.audience.finish-batches',
  z.object({ batches: z.array(FinishBatch).min(1).max(64) }),
  5000,
)

/**
 * The tracker tells audience that campaigns are settled. Audience deletes the batches and the frozen send of each campaign, at once or, when a batch
 * is not finished yet, after all are. The fan-out rows stay for FAN_OUT_RETENTION_DAYS.
 */
export const dropCampaigns = call<Record<string, never>>()(
  'rpc.audience.drop-campaigns',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/**
 * A send as campaigns froze it, and its target. Campaigns checked all fields when it accepted the send, so this schema checks only the target and a
 * few fields of the send.
 */
const FrozenSmallSend = z.object({
  send: z.custom<FrozenSend>(
    (value) => z.looseObject({ campaignId: Id, appId: Id, name: z.string(), ttl: z.number() }).safeParse(value).success,
  ),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('externalIds'), externalIds: z.array(z.string()).max(smallSend) }),
    z.object({ kind: z.literal('userIds'), userIds: z.array(z.string()).max(smallSend) }),
    z.object({ kind: z.literal('subscriptionIds'), subscriptionIds: z.array(z.string()).max(smallSend) }),
  ]),
})
export type FrozenSmallSend = z.infer<typeof FrozenSmallSend>

/**
 * Campaigns hands over small sends that begin now, with their content. Answered when each send's rows are committed or a pointer is published. May be
 * repeated. Without an answer, campaigns publishes pointers (`fanOutWork`).
 */
export const startSends = call<Record<string, never>>()(
  'rpc.audience.start-sends',
  z.object({ sends: z.array(FrozenSmallSend).min(1).max(25) }),
)

/**
 * Tells audience, until it answers, whether a send goes on, is paused or is cancelled, and its rate. `known`: false while audience has not begun it.
 * `left`: about how many pushes of a send with a rate are left.
 */
export const changeFlow = call<{ known: boolean; left?: number | null }>()(
  'rpc.audience.change-flow',
  FlowChange.extend({ campaignId: Id, appId: Id }),
)

/** Tells every dispatcher that the flow of a send has changed. At a pause or a cancel, a dispatcher that hears of it hands no further push over. */
export const flowChanged: Broadcast<{ campaignId: string; flow: CampaignFlow }> = {
  subject: 'changed.flow',
  body: z.object({ campaignId: Id, flow: z.enum(campaignFlows) }),
}

/** Reads the time zones of the app's users, each once, in no particular order. Users without a time zone do not count. */
export const listTimeZones = call<{ zones: string[] }>()('rpc.audience.list-time-zones', z.object({ appId: Id }), 10_000)

/** The circuit of an app and a provider (spec: providers/circuit), as the administration shows it. */
export type Circuit = {
  platform: Platform
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /** Why the circuit is open; null while it is closed. A push that is held too long fails with this code, or in an outage is skipped as `expired`. */
  code: FailureCode | null
  since: string
  /** From when on the next probe may be made (ISO); null while the circuit is closed. */
  probeAt: string | null
  /**
   * How many of the app's pushes on the platform are held; 0 while the circuit is closed. On iOS this is the number for both environments together,
   * in the circuit of each.
   */
  heldCount: number
}
/** Credentials that a provider has asked to send slower. `perSecond`: how many pushes they may send now. `since`: when they were last asked. */
export type SlowedRate = { platform: Platform; perSecond: number; since: string }
/** Reads the circuits of an app, and the rates of its credentials that a provider has slowed down. */
export const readCircuits = call<{ circuits: Circuit[]; slowed: SlowedRate[] }>()('rpc.audience.read-circuits', z.object({ appId: Id }))
/** An open circuit, without the number of pushes that it holds. */
export type OpenCircuit = Omit<Circuit, 'state' | 'heldCount'> & { appId: string }
/** Lists the open circuits of all apps, newest first and at most 100. `count` is the number of all open circuits. */
export const listOpenCircuits = call<{ circuits: OpenCircuit[]; count: number }>()('rpc.audience.list-open-circuits', z.object({}))
/** Lets each open circuit of an app on a platform be probed now, because an operator asks for it. `open`: the number of these circuits. */
export const probeCircuits = call<{ open: number }>()('rpc.audience.probe-circuits', z.object({ appId: Id, platform: z.enum(platforms) }))

/** A push that has no outcome yet, with its provider's last answer. */
export type OpenPush = {
  campaignId: string
  subscriptionId: string
  userId: string
  platform: Platform
  /** How many attempts at the provider the push has had. An attempt that left the circuit open does not count. */
  tries: number
  /** Why the push has to be tried again; null before the first attempt. */
  code: FailureCode | null
  providerCode: string | null
  /** Before this time no dispatcher takes the push (ISO, by the database's clock). Null when there is no such time, or it has passed. */
  nextTryAt: string | null
  /**
   * `sending`: a dispatcher has the push's batch. `held`: an open circuit or the pause of the send holds the push. `retry`: the push waits for
   * another attempt. `waiting`: the push waits for its first attempt.
   */
  state: 'waiting' | 'sending' | 'held' | 'retry'
}
/**
 * Lists the pushes of an app without an outcome, newest campaign first. At most 200 batches are read for a page, so a page may be short or empty:
 * only a null `nextCursor` ends the list. Fault: invalid_body at `cursor`.
 */
export const listOpenPushes = call<{ items: OpenPush[]; nextCursor: string | null }>()(
  'rpc.audience.list-open-pushes',
  z.object({
    appId: Id,
    campaignId: Id.optional(),
    userId: Id.optional(),
    subscriptionId: Id.optional(),
    code: z.string().max(64).optional(),
    platform: z.enum(platforms).optional(),
    /** Only pushes that were queued at `from` or later, and before `to`. */
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/** A wave of a send, which goes to the users of some time zones at one instant (spec: administration/waves). */
export type SendWave = {
  /** The number of the wave in its send, from 1. */
  no: number
  /** When the wave begins (ISO). */
  at: string
  /**
   * The time zones of the wave's users; null in the list stands for users without one. The list is null for all users. A send's last wave also goes
   * to users that no other wave names.
   */
  zones: (string | null)[] | null
  /** `cancelled`: the send ended before this wave began. */
  state: 'waiting' | 'running' | 'done' | 'cancelled'
  /** True when the pushes of the wave are skipped: the date and time of the send had passed in its zones when it was sent. */
  expired: boolean
  /** How many pushes the wave has queued so far. */
  queued: number
  byPlatform: Record<Platform, number>
}
/** Reads the waves of a send, in order. The list is empty before the fan-out has begun, and after the fan-out row is deleted. */
export const readWaves = call<{ waves: SendWave[] }>()('rpc.audience.read-waves', z.object({ appId: Id, campaignId: Id }))

/**
 * Reads how many of the app's devices a fan-out has looked at (`scanned`), of `listed` when the send names them. Null before it begins, after its
 * last page, and for waves, which look at the devices once each.
 */
export const readScan = call<{ scanned: number; listed: number | null } | null>()(
  'rpc.audience.read-scan',
  z.object({ appId: Id, campaignId: Id }),
)

/** A tag that users of an app have (spec: administration/tags). */
export type TagUse = {
  name: string
  /** The type of the tag's values; `mixed` when the values have several types. */
  type: 'string' | 'number' | 'boolean' | 'mixed'
  users: number
  /** The ends of the 95 % interval of `users`. Both ends equal `users` when the number is exact. */
  low: number
  high: number
  /** The five values that most users have for the tag, as text. Of a longer value only the first 100 characters are given. */
  values: string[]
}
export type TagUses = {
  tags: TagUse[]
  /** Whether every user of the app was read. */
  exact: boolean
  sample: number
  /** How many users the app has; an estimate when not every user was read. */
  users: number
  asOf: string
}
/**
 * Lists the tags of an app's users by name: the 2,000 that most users have. Above 10,000 users only a sample is read, so rare tags may be missing. At
 * most 30 s old. Fault: rate_limited.
 */
export const listTags = call<TagUses>()('rpc.audience.list-tags', z.object({ appId: Id }))

/** Deletes a part of the rows of a deleted app. The gateway repeats the call until the answer is `done`. */
export const eraseAudienceOfApp = call<{ done: boolean }>()('rpc.audience.erase-app', z.object({ appId: Id }), 10_000)

/**
 * Webhooks tells audience which events the endpoints and watching operators of an app ask for; audience announces no others. A request that makes an
 * endpoint is answered only after this call.
 */
export const hearAudienceListeners = call<Record<string, never>>()(
  'rpc.audience.hear-listeners',
  z.object({ listeners: z.array(Listener).min(1).max(200) }),
)

/** Webhooks tells audience that it has committed the events of these announcements. Audience then deletes the announcements. */
export const confirmAudienceAnnouncements = call<Record<string, never>>()(
  'rpc.audience.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)

// Changes of devices and users (docs/specification/identity.md). The gateway has checked the bodies. The fault for an unknown id, and for an id of
// another app, is not_found.

export const patchSubscription = call<{ id: string; optedIn: boolean }>()(
  'rpc.audience.patch-subscription',
  z.object({ appId: Id, subscriptionId: Id, changes: PatchSubscription }),
)

/**
 * Records that the mobile app or the page came to the foreground. A new session is counted when there was none before, or the last one began 30
 * minutes ago or more.
 */
export const startSession = call<{ id: string; sessionCount: number; lastSessionAt: string }>()(
  'rpc.audience.start-session',
  z.object({ appId: Id, subscriptionId: Id, session: SessionBody }),
)

/** Gives the device to the user with this external id (spec: identity/login). Fault: limit_reached. */
export const loginSubscription = call<{ userId: string; externalId: string }>()(
  'rpc.audience.login-subscription',
  z.object({ appId: Id, subscriptionId: Id, externalId: z.string(), keyKind }),
)

/** Gives the device to a new anonymous user without tags, who has the language, time zone and country of the user before. */
export const logoutSubscription = call<{ userId: string }>()(
  'rpc.audience.logout-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** Changes the user who owns a device: tags are merged, and null deletes a tag. Fault: invalid_body at `tags` above 100 tags. */
export const changeOwner = call<{ userId: string; tags: User['tags'] }>()(
  'rpc.audience.change-owner',
  z.object({ appId: Id, subscriptionId: Id, changes: UserChanges, keyKind }),
)

/**
 * Keeps the token of a device for a Live Activity, or for starting one (`starts`; `name` is then the type of attributes). Faults: not_found;
 * invalid_body for a device that is not iOS; limit_reached above 20 of a device.
 */
export const putActivityToken = call<{ id: string }>()(
  'rpc.audience.put-activity-token',
  z.object({
    appId: Id,
    subscriptionId: Id,
    starts: z.boolean(),
    name: z.string(),
    attributesType: AttributesType,
    token: StartToken.shape.token,
  }),
)
/** Forgets a device's token for an activity. An activity that the device does not have changes nothing. Fault: not_found (the device). */
export const deleteActivityToken = call<Record<string, never>>()(
  'rpc.audience.delete-activity-token',
  z.object({ appId: Id, subscriptionId: Id, activityId: ActivityId }),
)

export const deleteSubscription = call<Record<string, never>>()(
  'rpc.audience.delete-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** A browser's endpoint changed: the device keeps its id, and another device that has the new endpoint is deleted. */
export const rotateSubscription = call<{ id: string }>()('rpc.audience.rotate-subscription', z.object({ appId: Id, rotation: RotateBody }))

export const readUser = call<User>()('rpc.audience.read-user', z.object({ appId: Id, user: UserAddress }))

/** Changes a user. When the external id is unknown, a user without devices is made; an unknown Herald id is not_found. */
export const changeUser = call<User>()('rpc.audience.change-user', z.object({ appId: Id, user: UserAddress, changes: UserChanges }))

/**
 * Changes several users in one transaction, like `changeUser` for one after another; answers in their order. An unknown Herald id or a 101st tag is
 * that user's fault alone. Fault of the call: not_found when the app was erased.
 */
export const changeUsers = call<{ users: UserInBatchAnswer[] }>()(
  'rpc.audience.change-users',
  z.object({ appId: Id, users: z.array(UserInBatch).min(1).max(mostUsersInBatch) }),
  10_000,
)

/** Whose preferences: those of a user, or of the owner of a device. */
const PreferencesOf = z.union([z.object({ subscriptionId: Id }), UserAddress])
export type PreferencesOf = z.infer<typeof PreferencesOf>

/** Whose inbox it is, with at most 100 present devices. `reader`: the values for texts, without address and keys; null without a device. */
export type InboxOwner = { user: { id: string; externalId: string | null }; subscriptionIds: string[]; reader: Recipient | null }
/** Reads the owner of an inbox with what texts may name. Fault: not_found. */
export const readInboxOwner = call<InboxOwner>()('rpc.audience.read-inbox-owner', z.object({ appId: Id, of: PreferencesOf }))

/** Reads a person's own choices of categories. */
export const readPreferences = call<{ choices: Choices }>()('rpc.audience.read-preferences', z.object({ appId: Id, of: PreferencesOf }))

/**
 * Changes a person's own choices; null takes one back. `known`: the app's categories, whose choices stay when there are too many. An unknown external
 * id makes a user.
 */
export const changePreferences = call<{ choices: Choices }>()(
  'rpc.audience.change-preferences',
  z.object({
    appId: Id,
    of: PreferencesOf,
    changes: z.record(CategoryId, z.boolean().nullable()),
    known: z.array(CategoryId).max(mostCategories),
    keyKind,
  }),
)

/** Erases a user and all the user's devices. Audience then calls webhooks, which erases its data of the user, until webhooks has answered. */
export const deleteUser = call<Record<string, never>>()('rpc.audience.delete-user', z.object({ appId: Id, user: UserAddress }))

/**
 * Finds the external ids of users; those without one are left out. Webhooks asks when it fixes the body of a delivery, because external ids never
 * travel in a stored message, and the gateway for the list of pushes.
 */
export const findExternalIds = call<{ externalIds: Record<string, string> }>()(
  'rpc.audience.find-external-ids',
  z.object({ appId: Id, userIds: z.array(Id).max(1000) }),
)

// Test devices (spec: administration/test-devices).

/** Makes a device a test device, or an ordinary one again. Faults: not_found; limit_reached above 100 of an app. */
export const markTestDevice = call<{ id: string; optedIn: boolean; test: boolean }>()(
  'rpc.audience.mark-test-device',
  z.object({ appId: Id, subscriptionId: Id, test: z.boolean() }),
)

/** Lists the test devices of an app, the most recently marked first. Fault: invalid_body at `cursor`. */
export const listTestDevices = call<Listed<TestDevice>>()(
  'rpc.audience.list-test-devices',
  ListRequest.omit({ q: true }).extend({ appId: Id }),
)

/**
 * Finds the devices that a test names, by id; for users, their test devices. `unreachable`: why no push is queued. Faults: not_found (a single
 * device); invalid_body at `subscriptionIds.<i>` for no test device, at the selector above 20 devices.
 */
export const findTestDevices = call<{
  devices: { subscriptionId: string; platform: Platform; unreachable: NotQueued['code'] | null }[]
}>()('rpc.audience.find-test-devices', z.object({ appId: Id, selector: TestSelector }))

// Users as the administration shows them (spec: administration/users). Tokens and endpoints are masked, except in an export that asks for them. An id
// that is unknown or another app's is not_found; in a list, the answer is empty.

/**
 * Lists an app's users, newest first. `q`: a user's or device's id, or the beginning of an external id. With `segmentId`, or
 * `segment` (a definition), at most 10,000 are examined for a page. Faults: not_found, invalid_segment, invalid_body at `cursor`, rate_limited.
 */
export const listUsers = call<Listed<UserSummary>>()(
  'rpc.audience.list-users',
  ListRequest.extend({ appId: Id, segmentId: Id.optional(), segment: z.record(z.string(), z.unknown()).optional() }),
)

export const readMaskedUser = call<MaskedUser>()('rpc.audience.read-person', z.object({ appId: Id, user: UserAddress }))
/** Finds a user by the token or endpoint of a device. Audience searches by the hash of the token or endpoint. */
export const findUserByAddress = call<MaskedUser>()('rpc.audience.find-person', z.object({ appId: Id, address: AddressSearch }))
export const readDevice = call<OwnedDevice>()('rpc.audience.read-device', z.object({ appId: Id, subscriptionId: Id }))

/** Lists devices that have left an identified user, in the order of their ids. Audience knows them as long as the ledger keeps their pushes. */
export const listFormerDevices = call<{ subscriptionIds: string[]; next: string | null }>()(
  'rpc.audience.list-former-devices',
  z.object({ appId: Id, userId: Id, after: Id.nullable() }),
)

/**
 * Reads the next users of an app by id, with their devices: at most 500 and about one megabyte. `next` is the next `after`, null at the end; with a
 * segment a page may be empty. Faults: not_found, invalid_segment, rate_limited.
 */
export const exportUsers = call<{ users: ExportedUser[]; next: string | null }>()(
  'rpc.audience.export-users',
  z.object({ appId: Id, after: Id.nullable(), segmentId: Id.optional(), addresses: z.enum(addressForms) }),
  8_000,
)

// Saved segments (spec: segments/saved-name). Faults: not_found, duplicate_name.

export const createSegment = call<SavedSegment>()('rpc.audience.create-segment', z.object({ appId: Id, segment: SaveSegment }))
export const listSegments = call<Listed<SavedSegment>>()('rpc.audience.list-segments', ListRequest.extend({ appId: Id }))
export const readSegment = call<SavedSegment>()('rpc.audience.read-segment', z.object({ appId: Id, segmentId: Id }))
/** Replaces name, description and definition, and clears the stored count. */
export const replaceSegment = call<SavedSegment>()(
  'rpc.audience.replace-segment',
  z.object({ appId: Id, segmentId: Id, segment: SaveSegment }),
)
export const deleteSegment = call<Record<string, never>>()('rpc.audience.delete-segment', z.object({ appId: Id, segmentId: Id }))

/** Counts the devices of a segment now and stores the count. Faults: rate_limited; invalid_segment when the definition does not compile any more. */
export const countSegment = call<SegmentCount>()('rpc.audience.count-segment', z.object({ appId: Id, segmentId: Id }), 24_000)

/**
 * Counts the devices of a definition that is not saved; null stands for all devices. The schema accepts any value here, so that a mistake is answered
 * as a fault with its path. Fault: rate_limited.
 */
export const previewSegment = call<SegmentCount>()('rpc.audience.preview-segment', z.object({ appId: Id, segment: z.unknown() }), 24_000)

/** Finds a user for explain, with at most 100 of the devices that the user has now. Null when there is no such user. */
export const findDevicesOf = call<{ user: { id: string; externalId: string | null }; subscriptionIds: string[] } | null>()(
  'rpc.audience.find-devices-of',
  z.object({ appId: Id, user: UserAddress }),
)

/** Checks only that explain passes on an object: campaigns and the gateway have read it from their own rows, and audience stores nothing of it. */
const anObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A device with what audience says about it for explain. */
export type ExplainedDevice = {
  subscriptionId: string
  /** The platform of the device. Null when there is no such device, also when it has been deleted. */
  platform: Platform | null
  owner: { id: string; externalId: string | null } | null
  /** The steps from `device` to `message` that apply to this device. Whether a step stops the push is decided as if the push did not exist yet. */
  steps: ExplainedStep[]
  /**
   * Where the device's push is. `nowhere`: the send has not begun. `ahead`: the fan-out has not come to it. `open`: in a batch under way. `past`: its
   * batches are done. `passed`: cancelled or failed before the fan-out came.
   */
  push:
    | { is: 'nowhere' | 'past' | 'passed' }
    | { is: 'ahead'; waitingFor: WaitingFor }
    | { is: 'open'; verdict: Verdict; waitingFor: WaitingFor; queuedFor: string; no: number; trail: Attempt[] }
}

/**
 * Explains devices for a send, in one snapshot. `settings`: the app's present ones, where none are frozen. `no`: the batch's number in the ledger,
 * null without a push. `begins`: explained as if the unbegun send began now.
 */
export const explainDevices = call<{
  startedAt: string | null
  settledAt: string | null
  failure: string | null
  devices: ExplainedDevice[]
}>()(
  'rpc.audience.explain-devices',
  z.object({
    appId: Id,
    campaignId: Id,
    begins: z.boolean(),
    /** When the send began according to campaigns (ISO). Audience uses it for sends whose rows it has deleted. */
    startedAt: z.string().nullable(),
    send: z.custom<FrozenSend>(anObject),
    target: z.custom<FrozenTarget>(anObject),
    settings: z.custom<AppSettings>(anObject),
    devices: z
      .array(z.object({ subscriptionId: Id, no: z.number().int().nullable() }))
      .min(1)
      .max(mostExplained),
  }),
)

const targetKinds = ['externalIds', 'userIds', 'subscriptionIds', 'segment', 'all'] as const
/**
 * Counts what a send would do if it began at `startsAt` (null: now), in one read-only transaction with the conditions of a fan-out. Campaigns has
 * checked `send` and `target` (`resolveSend`). Faults: not_found (the app), invalid_segment, rate_limited.
 */
export const dryRun = call<AudienceDryRun>()(
  'rpc.audience.dry-run',
  z.object({
    appId: Id,
    send: z.custom<FrozenSend>((value) => z.looseObject({ campaignId: Id, appId: Id, silent: z.boolean() }).safeParse(value).success),
    target: z.custom<FrozenTarget>((value) => z.looseObject({ kind: z.enum(targetKinds) }).safeParse(value).success),
    startsAt: z.iso.datetime().nullable(),
    samples: ChosenSamples,
  }),
  24_000,
)

/**
 * Counts the devices of an app; at most 60 s old. With more than 5,000,000 devices at the last daily count, the answer has the numbers of that day.
 * Fault: rate_limited.
 */
export const countDevices = call<DeviceCounts>()('rpc.audience.count-devices', z.object({ appId: Id }), 12_000)

/**
 * Reads an app's devices by UTC day, from the day of `from` (null: the last 30 days) to the last that begins before `to` (null: the last counted).
 * Days not counted are left out. Fault: invalid_body at `from`.
 */
export const readDeviceDays = call<{ points: DeviceDay[] }>()(
  'rpc.audience.read-device-days',
  z.object({ appId: Id, from: z.iso.datetime().nullable(), to: z.iso.datetime().nullable() }),
)

// Imports of devices from elsewhere (spec: administration/import). Faults: not_found, invalid_state.

/** Begins an import. Fault `invalid_state`: the app has an import that is neither finished nor cancelled. */
export const startImport = call<ImportReport>()('rpc.audience.start-import', z.object({ appId: Id, settings: StartImport }))
/**
 * Reads an import. `header`: the column names of the file; null until they have been read. `tail`: the bytes after `offset` that are not a complete
 * row yet, as base64.
 */
export const readImport = call<{ report: ImportReport; header: string[] | null; tail: string | null }>()(
  'rpc.audience.read-import',
  z.object({ appId: Id, importId: Id }),
)
export const listImports = call<Listed<ImportReport>>()('rpc.audience.list-imports', ListRequest.extend({ appId: Id }))
/** Lists the errors of an import in the order of rows, beginning after the row `after`. */
export const listImportErrors = call<{ items: ImportError[]; nextCursor: string | null }>()(
  'rpc.audience.list-import-errors',
  z.object({ appId: Id, importId: Id, limit: z.number().int().min(1).max(200), after: z.number().int().min(0) }),
)
/**
 * Writes up to 500 rows of an import and moves it from `offset` to `nextOffset` in one transaction, so no row is written twice. A dry run writes no
 * devices. Fault at another offset: `invalid_state` with the right one.
 */
export const importLot = call<ImportReport>()('rpc.audience.import-lot', z.object({ appId: Id, importId: Id, lot: ImportLot }), 20_000)
/** Stores the bytes after `offset` that are not a complete row yet. When the file ends there, the gateway reads them as its last row. */
export const keepImportTail = call<ImportReport>()(
  'rpc.audience.keep-import-tail',
  z.object({ appId: Id, importId: Id, offset: z.number().int().min(0), tail: z.base64() }),
)
/** Ends an import after its last row. Fault `invalid_state`: the import is not receiving, or not at `offset`. */
export const finishImport = call<ImportReport>()(
  'rpc.audience.finish-import',
  z.object({ appId: Id, importId: Id, offset: z.number().int().min(0) }),
)
export const cancelImport = call<ImportReport>()('rpc.audience.cancel-import', z.object({ appId: Id, importId: Id }))
