import { z } from 'zod'
import { KeyKind } from '../administration.ts'
import { environments, FinishBatch, smallSend, type FrozenSend, type TakenBatch, type GivenBatch } from '../batch.ts'
import { call, type Broadcast } from '../call.ts'
import type { CircuitEnvironment } from '../batch.ts'
import { Listener } from '../event.ts'
import type { FailureCode } from '../outcome.ts'
import { ListRequest, type Listed } from '../page.ts'
import { platforms, type Platform } from '../platform.ts'
import { SaveSegment, type SavedSegment, type SegmentCount } from '../saved-segment.ts'
import type { DeviceCounts, DeviceDay } from '../series.ts'
import { PatchSubscription, RegisterSubscription, RotateBody, SessionBody, UserChanges } from '../subscription.ts'
import { UserAddress, type User } from '../user.ts'
import { mostUsersInBatch, UserInBatch, type UserInBatchAnswer } from '../user-batch.ts'

const Id = z.string().length(24)

/** The kind of key that asked. A gateway that does not say it yet may have had a secret one: then the user is kept. */
const keyKind = KeyKind.optional()

/** Registers a device or finds it again; the body is as the gateway checked it (spec: identity/register). */
export const registerSubscription = call<{ id: string; platform: Platform; userId: string }>()(
  'rpc.audience.register-subscription',
  z.object({ appId: Id, subscription: RegisterSubscription, keyKind }),
)

/** The definition of a saved segment, as it is now; null when unknown or another app's. */
export const findSegment = call<{ definition: unknown } | null>()('rpc.audience.find-segment', z.object({ appId: Id, segmentId: Id }))

const TakeBatch = z.object({
  batchId: Id,
  /** Whose the batch is: what waits is taken by turns of apps. A dispatcher of an earlier version does not say. */
  appId: Id.optional(),
  knowsSend: z.boolean(),
  from: z.number().int().default(0),
  takes: z.number().int().nullable().default(null),
  environment: z.enum(environments).default(''),
  credentialsVersion: z.number().int().nullable().default(null),
})
export type TakeBatch = z.infer<typeof TakeBatch>

/**
 * Takes a batch: one conditional update, then the recipients as they are now. `knowsSend`: leave the send out. `from` and
 * `takes` ask for a further part of a batch already taken. `environment` and `credentialsVersion` are those of the credentials that will
 * be used (null: there are none): newer ones close an open circuit's wait and make this take its probe.
 */
export const takeBatch = call<TakenBatch>()('rpc.audience.take-batch', TakeBatch, 5000)

/** Takes several small batches; answers in the order asked. */
export const takeBatches = call<{ answers: TakenBatch[] }>()(
  'rpc.audience.take-batches',
  z.object({ batches: z.array(TakeBatch).min(1).max(8) }),
  5000,
)

/** So many batches in one answer, and so long an asker waits for the first. */
export const nextAtOnce = 16
export const nextWaitMs = 1_000
const Room = z.number().int().min(0)
/**
 * A dispatcher waits for batches of small sends that are begun meanwhile: they are its from the commit that makes them, which spares a
 * pointer and a take. `room`: how many it can work on; `full`: apps that have as many as they may. Answered with what there is as soon as the
 * others were told of it, or with nothing after a second. What they hold is asked for with `takeBatch` and their `takes`, as late as can be: a device may
 * change hands while the answer is under way to a process that sleeps. Who dies first leaves them to their leases.
 */
export const takeNext = call<{ batches: GivenBatch[] }>()(
  'rpc.audience.take-next',
  z.object({ room: z.object({ ios: Room, android: Room, web: Room }), full: z.array(Id).max(100) }),
  8_000,
)

/** Keeps the lease of a taken batch for another 12 s; false: another has it, send nothing more. */
export const renewBatch = call<{ held: boolean }>()(
  'rpc.audience.renew-batch',
  z.object({ batchId: Id, appId: Id.optional(), takes: z.number().int() }),
)

/** Ends a batch whose outcomes are all committed. `lost`: another take is in charge (or it is done already): nothing was changed. */
export const finishBatch = call<{ answer: 'done' | 'lost' }>()('rpc.audience.finish-batch', FinishBatch, 5000)
/** Ends several small batches; answers in the order given. */
export const finishBatches = call<{ answers: ('done' | 'lost')[] }>()(
  'rpc.audience.finish-batches',
  z.object({ batches: z.array(FinishBatch).min(1).max(64) }),
  5000,
)

/** The tracker's settlement of campaigns: batches and the frozen sends are dropped, the fan-out rows stay 7 days. */
export const dropCampaigns = call<Record<string, never>>()(
  'rpc.audience.drop-campaigns',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/** A send as campaigns froze it, and whom it is for. It comes from campaigns' own row, so what decides where it goes is all that is checked. */
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
 * Hands over sends to a few that are due now, with all that they say, so that audience need not ask for them. Answered when audience has
 * their rows, or goes on with them by itself. A repeat changes nothing. Who hears no answer points at them (`fanOutWork`).
 */
export const startSends = call<Record<string, never>>()(
  'rpc.audience.start-sends',
  z.object({ sends: z.array(FrozenSmallSend).min(1).max(25) }),
)

/** Whether a send goes on. Administration pauses, resumes and cancels sends under way (spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way). */
export const campaignFlows = ['running', 'paused', 'cancelled'] as const
export type CampaignFlow = (typeof campaignFlows)[number]
/** `no` rises with every change, so that a late repeat of an earlier one changes nothing. */
export const FlowChange = z.object({ flow: z.enum(campaignFlows), no: z.number().int().min(0) })
export type FlowChange = z.infer<typeof FlowChange>

/**
 * Campaigns tells until it is answered whether a send goes on. Paused: no page is cut and no batch taken; cancelled: no page is cut any
 * more, and what is queued and not sent ends skipped `cancelled`. `known` false: there is no fan-out row (yet).
 */
export const changeFlow = call<{ known: boolean }>()('rpc.audience.change-flow', FlowChange.extend({ campaignId: Id }))

/** Told to every dispatcher when the flow of a send has changed: batches of it that are being played out stop at once. */
export const flowChanged: Broadcast<{ campaignId: string; flow: CampaignFlow }> = {
  subject: 'changed.flow',
  body: z.object({ campaignId: Id, flow: z.enum(campaignFlows) }),
}

/** The time zones that the app's users have, each once, in no order. Users without one are not in it. */
export const listTimeZones = call<{ zones: string[] }>()('rpc.audience.list-time-zones', z.object({ appId: Id }), 10_000)

/** The breaker of an app's way to a provider (spec: providers/circuit), as the administration shows it. */
export type Circuit = {
  platform: Platform
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /** Why it is open: the code that pushes end with when they are held too long. */
  code: FailureCode | null
  since: string
  /** When the next probe is made; null when closed. */
  probeAt: string | null
  /** Pushes that wait for it to close. */
  heldCount: number
}
export const readCircuits = call<{ circuits: Circuit[] }>()('rpc.audience.read-circuits', z.object({ appId: Id }))
/** An operator's word: the next probe of the app's open circuits on this platform is made now. Answers how many were open. */
export const probeCircuits = call<{ open: number }>()('rpc.audience.probe-circuits', z.object({ appId: Id, platform: z.enum(platforms) }))

/** A push that has no outcome yet, and what its provider answered last. */
export type OpenPush = {
  campaignId: string
  subscriptionId: string
  userId: string
  platform: Platform
  /** Tries at the provider so far. */
  tries: number
  /** Why the last try was none that counts or has to be repeated; null: there was none. */
  code: FailureCode | null
  providerCode: string | null
  /** When it may be tried next (ISO, by the database's clock); null: at once, or it is being sent. */
  nextTryAt: string | null
  /** `waiting` for its first try, `sending`, `held` by an open circuit or a paused campaign, `retry`: it waits for its next try. */
  state: 'waiting' | 'sending' | 'held' | 'retry'
}
/**
 * Pushes of an app that have no outcome yet, newest campaign first. A page looks at 200 batches at most, so it may hold fewer than asked for,
 * even none: it ends only when `nextCursor` is null. Fault: invalid_body at `cursor`.
 */
export const listOpenPushes = call<{ items: OpenPush[]; nextCursor: string | null }>()(
  'rpc.audience.list-open-pushes',
  z.object({
    appId: Id,
    campaignId: Id.optional(),
    userId: Id.optional(),
    subscriptionId: Id.optional(),
    code: z.string().max(64).optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/** The app was deleted: its rows go, a part with every call, until `done`. */
export const eraseAudienceOfApp = call<{ done: boolean }>()('rpc.audience.erase-app', z.object({ appId: Id }), 10_000)

/** Webhooks tells to which events somebody listens, and answers that an endpoint is there only after this: events that nobody hears are not announced. */
export const hearAudienceListeners = call<Record<string, never>>()(
  'rpc.audience.hear-listeners',
  z.object({ listeners: z.array(Listener).min(1).max(200) }),
)

/** Webhooks has committed the effect of these announcements of audience. */
export const confirmAudienceAnnouncements = call<Record<string, never>>()(
  'rpc.audience.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)

// Devices and their people (docs/specification/identity.md). Bodies are as the gateway checked them. Unknown and foreign ids: not_found.

export const patchSubscription = call<{ id: string; optedIn: boolean }>()(
  'rpc.audience.patch-subscription',
  z.object({ appId: Id, subscriptionId: Id, changes: PatchSubscription }),
)

/** The app came to the foreground: counts a session when the last one began 30 minutes ago or more. */
export const startSession = call<{ id: string; sessionCount: number; lastSessionAt: string }>()(
  'rpc.audience.start-session',
  z.object({ appId: Id, subscriptionId: Id, session: SessionBody }),
)

/** Makes the device the person's with this external id (spec: identity/login). Fault: limit_reached. */
export const loginSubscription = call<{ userId: string; externalId: string }>()(
  'rpc.audience.login-subscription',
  z.object({ appId: Id, subscriptionId: Id, externalId: z.string(), keyKind }),
)

/** Gives the device to a new anonymous user without tags. */
export const logoutSubscription = call<{ userId: string }>()(
  'rpc.audience.logout-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** Changes the owner of a device: tags merge, null deletes one. Fault: invalid_body at `tags` above 100. */
export const changeOwner = call<{ userId: string; tags: User['tags'] }>()(
  'rpc.audience.change-owner',
  z.object({ appId: Id, subscriptionId: Id, changes: UserChanges, keyKind }),
)

export const deleteSubscription = call<Record<string, never>>()(
  'rpc.audience.delete-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** A browser's endpoint changed: the row keeps its id; another row that has the new endpoint is removed. */
export const rotateSubscription = call<{ id: string }>()('rpc.audience.rotate-subscription', z.object({ appId: Id, rotation: RotateBody }))

export const readUser = call<User>()('rpc.audience.read-user', z.object({ appId: Id, user: UserAddress }))

/** Changes a user. An unknown external id makes one without devices; an unknown id is not_found. */
export const changeUser = call<User>()('rpc.audience.change-user', z.object({ appId: Id, user: UserAddress, changes: UserChanges }))

/**
 * Changes several users as their backend knows them, each as changeUser would, one after another, in one transaction. Answers in the order
 * given; a user who is unknown or would have a 101st tag is answered a fault and changes nothing. Fault: not_found (the app was erased).
 */
export const changeUsers = call<{ users: UserInBatchAnswer[] }>()(
  'rpc.audience.change-users',
  z.object({ appId: Id, users: z.array(UserInBatch).min(1).max(mostUsersInBatch) }),
  10_000,
)

/** The erasure path: the user and all devices; every other app that names them is told until it has answered. */
export const deleteUser = call<Record<string, never>>()('rpc.audience.delete-user', z.object({ appId: Id, user: UserAddress }))

/** External ids of users that have one: webhooks asks when it freezes a delivery; they never travel in a stored message. */
export const findExternalIds = call<{ externalIds: Record<string, string> }>()(
  'rpc.audience.find-external-ids',
  z.object({ appId: Id, userIds: z.array(Id).max(1000) }),
)

// Saved segments (spec: segments/saved-name). Faults: not_found, duplicate_name.

export const createSegment = call<SavedSegment>()('rpc.audience.create-segment', z.object({ appId: Id, segment: SaveSegment }))
export const listSegments = call<Listed<SavedSegment>>()('rpc.audience.list-segments', ListRequest.extend({ appId: Id }))
export const readSegment = call<SavedSegment>()('rpc.audience.read-segment', z.object({ appId: Id, segmentId: Id }))
/** Replaces name, description and definition; the stored count is cleared. */
export const replaceSegment = call<SavedSegment>()(
  'rpc.audience.replace-segment',
  z.object({ appId: Id, segmentId: Id, segment: SaveSegment }),
)
export const deleteSegment = call<Record<string, never>>()('rpc.audience.delete-segment', z.object({ appId: Id, segmentId: Id }))

/** Counts now and keeps the count. Fault: invalid_segment when the stored definition no longer compiles. */
export const countSegment = call<SegmentCount>()('rpc.audience.count-segment', z.object({ appId: Id, segmentId: Id }), 24_000)

/** Counts a definition that is not saved; null: everyone. Any value may come: what is wrong with it is answered with its path, as a fault. */
export const previewSegment = call<SegmentCount>()('rpc.audience.preview-segment', z.object({ appId: Id, segment: z.unknown() }), 24_000)

/** The devices of an app, counted now or less than 60 s ago; of more than 5,000,000 devices those of the last day that was taken. */
export const countDevices = call<DeviceCounts>()('rpc.audience.count-devices', z.object({ appId: Id }), 12_000)

/** Devices of an app by UTC day, from that of `from` on (null: the last 30), days before that of `to` only (null: all). A day that nobody took is not in it. Fault: invalid_body at `from`. */
export const readDeviceDays = call<{ points: DeviceDay[] }>()(
  'rpc.audience.read-device-days',
  z.object({ appId: Id, from: z.iso.datetime().nullable(), to: z.iso.datetime().nullable() }),
)
