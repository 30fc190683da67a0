import { z } from 'zod'
import { KeyKind } from '../administration.ts'
import { environments, FinishBatch, smallSend, type FrozenSend, type TakenBatch, type GivenBatch } from '../batch.ts'
import type { AppSettings } from '../app.ts'
import { call, type Broadcast } from '../call.ts'
import type { FrozenTarget } from './campaigns.ts'
import type { CircuitEnvironment } from '../batch.ts'
import { ChosenSamples, type AudienceDryRun } from '../dry-run.ts'
import { Listener } from '../event.ts'
import { mostExplained, type ExplainedStep, type Verdict, type WaitingFor } from '../explain.ts'
import { ImportLot, StartImport, type ImportError, type ImportReport } from '../import.ts'
import type { Attempt, FailureCode } from '../outcome.ts'
import { ListRequest, type Listed } from '../page.ts'
import { AddressSearch, addressForms, type ExportedUser, type OwnedDevice, type MaskedUser, type UserSummary } from '../person.ts'
import { perPlatform, platforms, type Platform } from '../platform.ts'
import { SaveSegment, type SavedSegment, type SegmentCount } from '../saved-segment.ts'
import type { DeviceCounts, DeviceDay } from '../series.ts'
import { PatchSubscription, RegisterSubscription, RotateBody, SessionBody, UserChanges } from '../subscription.ts'
import { TestSelector, type NotQueued, type TestDevice } from '../test-send.ts'
import { UserAddress, type User } from '../user.ts'
import { mostUsersInBatch, UserInBatch, type UserInBatchAnswer } from '../user-batch.ts'

const Id = z.string().length(24)

/** The kind of key that the request had. A gateway of an earlier version does not say it; it may have been a secret key, so then the user is kept. */
const keyKind = KeyKind.optional()

/** Registers a device or finds it again. The gateway has checked the body (spec: identity/register). */
export const registerSubscription = call<{ id: string; platform: Platform; userId: string }>()(
  'rpc.audience.register-subscription',
  z.object({ appId: Id, subscription: RegisterSubscription, keyKind }),
)

/** The definition of a saved segment, as it is now. Null when it is unknown or another app's. */
export const findSegment = call<{ definition: unknown } | null>()('rpc.audience.find-segment', z.object({ appId: Id, segmentId: Id }))

const TakeBatch = z.object({
  batchId: Id,
  /** The app of the batch: takes that wait are done with apps taking turns. A dispatcher of an earlier version does not say it. */
  appId: Id.optional(),
  knowsSend: z.boolean(),
  from: z.number().int().default(0),
  takes: z.number().int().nullable().default(null),
  environment: z.enum(environments).default(''),
  credentialsVersion: z.number().int().nullable().default(null),
})
export type TakeBatch = z.infer<typeof TakeBatch>

/**
 * Takes a batch: one conditional update, then the recipients as they are now. `knowsSend`: the dispatcher has the send already. `from` and
 * `takes` ask for a further part of a batch that the dispatcher has taken. `environment` and `credentialsVersion` are those of the credentials that will
 * be used (null when there are none): when they are newer, an open circuit waits no longer and this take is its probe.
 */
export const takeBatch = call<TakenBatch>()('rpc.audience.take-batch', TakeBatch, 5000)

/** Takes several small batches. The answers are in the order of the batches. */
export const takeBatches = call<{ answers: TakenBatch[] }>()(
  'rpc.audience.take-batches',
  z.object({ batches: z.array(TakeBatch).min(1).max(8) }),
  5000,
)

/** The most batches in one answer, and how long a dispatcher waits for the first of them. */
export const nextAtOnce = 16
export const nextWaitMs = 1_000
const Room = z.number().int().min(0)
/**
 * A dispatcher waits for batches of small sends that begin now. It holds them from the commit that makes them, which saves a pointer and a take. `room`: how
 * many batches it can work on, by platform. `full`: apps that have as many batches in work there as they may. The answer comes as soon as campaigns and the tracker were told of the
 * new batches, or has none after a second. The dispatcher asks for the recipients with `takeBatch` and the `takes` of a batch, as late as possible, because a device may
 * get another owner while the answer is on its way. When the dispatcher dies, its batches wait for their leases to end.
 */
export const takeNext = call<{ batches: GivenBatch[] }>()(
  'rpc.audience.take-next',
  z.object({ room: z.object(perPlatform(() => Room)), full: z.array(Id).max(100) }),
  8_000,
)

/** Keeps the lease of a taken batch for another 12 s. `held` is false when another dispatcher has the batch: then no more of it may be sent. */
export const renewBatch = call<{ held: boolean }>()(
  'rpc.audience.renew-batch',
  z.object({ batchId: Id, appId: Id.optional(), takes: z.number().int() }),
)

/** Ends a batch whose outcomes are all committed. `lost`: another dispatcher has taken it, or it is done already, and nothing was changed. */
export const finishBatch = call<{ answer: 'done' | 'lost' }>()('rpc.audience.finish-batch', FinishBatch, 5000)
/** Ends several small batches. The answers are in the order of the batches. */
export const finishBatches = call<{ answers: ('done' | 'lost')[] }>()(
  'rpc.audience.finish-batches',
  z.object({ batches: z.array(FinishBatch).min(1).max(64) }),
  5000,
)

/** The tracker says that campaigns are settled: audience drops their batches and frozen sends; their fan-out rows stay 7 days. */
export const dropCampaigns = call<Record<string, never>>()(
  'rpc.audience.drop-campaigns',
  z.object({ campaignIds: z.array(Id).min(1).max(200) }),
)

/** A send as campaigns froze it, and whom it is for. It comes from a row that campaigns checked when it accepted the send, so only the fields that decide where it goes are checked again. */
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
 * Campaigns hands over whole sends to a few devices that are due now, so that audience need not ask for them. Answered when audience has committed their rows,
 * or goes on with them by itself. A repeat changes nothing. Without an answer campaigns points at the sends (`fanOutWork`).
 */
export const startSends = call<Record<string, never>>()(
  'rpc.audience.start-sends',
  z.object({ sends: z.array(FrozenSmallSend).min(1).max(25) }),
)

/** Whether a send under way goes on, is paused or was cancelled (spec: campaigns/pause, campaigns/resume, campaigns/cancel-under-way). */
export const campaignFlows = ['running', 'paused', 'cancelled'] as const
export type CampaignFlow = (typeof campaignFlows)[number]
/** `no` rises with every change, so that a late repeat of an earlier one changes nothing. */
export const FlowChange = z.object({ flow: z.enum(campaignFlows), no: z.number().int().min(0) })
export type FlowChange = z.infer<typeof FlowChange>

/**
 * Campaigns tells whether a send goes on, and repeats it until audience answers. Of a paused send no page is cut and no batch taken. Of a cancelled one no page
 * is cut any more, and the pushes that are queued and not sent end skipped `cancelled`. `known` is false when there is no fan-out row (yet).
 */
export const changeFlow = call<{ known: boolean }>()('rpc.audience.change-flow', FlowChange.extend({ campaignId: Id }))

/** Told to every dispatcher when the flow of a send has changed: dispatchers that are sending its batches stop at once. */
export const flowChanged: Broadcast<{ campaignId: string; flow: CampaignFlow }> = {
  subject: 'changed.flow',
  body: z.object({ campaignId: Id, flow: z.enum(campaignFlows) }),
}

/** The time zones of the app's users, each once, in no order. Users without a time zone do not count. */
export const listTimeZones = call<{ zones: string[] }>()('rpc.audience.list-time-zones', z.object({ appId: Id }), 10_000)

/** The circuit of an app and a provider (spec: providers/circuit), as the administration shows it. */
export type Circuit = {
  platform: Platform
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /** Why the circuit is open: the code with which pushes end that are held too long. */
  code: FailureCode | null
  since: string
  /** When the next probe is made; null for a closed circuit. */
  probeAt: string | null
  /** How many pushes wait for the circuit to close. */
  heldCount: number
}
export const readCircuits = call<{ circuits: Circuit[] }>()('rpc.audience.read-circuits', z.object({ appId: Id }))
/** An open circuit, without the number of pushes that it holds. */
export type OpenCircuit = Omit<Circuit, 'state' | 'heldCount'> & { appId: string }
/** The open circuits of all apps, newest first and at most 100, and how many there are in all. */
export const listOpenCircuits = call<{ circuits: OpenCircuit[]; count: number }>()('rpc.audience.list-open-circuits', z.object({}))
/** An operator asks for the next probe of the app's open circuits on this platform at once. The answer is how many were open. */
export const probeCircuits = call<{ open: number }>()('rpc.audience.probe-circuits', z.object({ appId: Id, platform: z.enum(platforms) }))

/** A push that has no outcome yet, with its provider's last answer. */
export type OpenPush = {
  campaignId: string
  subscriptionId: string
  userId: string
  platform: Platform
  /** The number of tries at the provider so far. */
  tries: number
  /** Why the last try does not count or has to be repeated; null when there was no try. */
  code: FailureCode | null
  providerCode: string | null
  /** When the next try may be made (ISO, by the database's clock). Null when it may be made at once, or the push is being sent. */
  nextTryAt: string | null
  /** `waiting` for its first try, `sending`, `held` by an open circuit or a paused campaign, or waiting for its next try (`retry`). */
  state: 'waiting' | 'sending' | 'held' | 'retry'
}
/**
 * Pushes of an app that have no outcome yet, newest campaign first. For a page at most 200 batches are read, so it may hold fewer pushes than asked for,
 * even none: the list ends only when `nextCursor` is null. Fault: invalid_body at `cursor`.
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
    /** When the push was queued: not before `from`, and before `to`. */
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/** A wave of a send, which goes to the users of some time zones at one instant (spec: administration/waves). */
export type SendWave = {
  /** Counted from 1. */
  no: number
  /** When the wave begins (ISO). */
  at: string
  /** The time zones of its users; a null in the list stands for users without one. The list is null when the wave goes to all users. The last wave also goes to the users that no other wave names. */
  zones: (string | null)[] | null
  /** `cancelled`: the send ended before the wave began. */
  state: 'waiting' | 'running' | 'done' | 'cancelled'
  /** How many pushes the wave has queued so far. */
  queued: number
  byPlatform: Record<Platform, number>
}
/** The waves of a send, in order. The list is empty before the fan-out has begun, and when its row is past retention. */
export const readWaves = call<{ waves: SendWave[] }>()('rpc.audience.read-waves', z.object({ appId: Id, campaignId: Id }))

/** A tag that users of an app have (spec: administration/tags). */
export type TagUse = {
  name: string
  /** The type of its values; `mixed` when they have several types. */
  type: 'string' | 'number' | 'boolean' | 'mixed'
  users: number
  /** The 95 % interval of `users`. Both ends are `users` when the number is exact. */
  low: number
  high: number
  /** The five most frequent values as text, the first 100 characters of each. */
  values: string[]
}
export type TagUses = {
  tags: TagUse[]
  /** Every user of the app was read. */
  exact: boolean
  /** How many users were read. */
  sample: number
  /** How many users the app has; an estimate when not every user was read. */
  users: number
  asOf: string
}
/** The tags that users of an app have, in the order of their names, at most 2,000. They are read at most once in 30 s. */
export const listTags = call<TagUses>()('rpc.audience.list-tags', z.object({ appId: Id }))

/** The app was deleted: each call deletes a part of its rows, until `done`. */
export const eraseAudienceOfApp = call<{ done: boolean }>()('rpc.audience.erase-app', z.object({ appId: Id }), 10_000)

/** Webhooks tells which events have a listener; other events are not announced. Webhooks answers that an endpoint was made only after this call. */
export const hearAudienceListeners = call<Record<string, never>>()(
  'rpc.audience.hear-listeners',
  z.object({ listeners: z.array(Listener).min(1).max(200) }),
)

/** Webhooks has committed the effect of these announcements of audience. */
export const confirmAudienceAnnouncements = call<Record<string, never>>()(
  'rpc.audience.confirm-announcements',
  z.object({ announcementIds: z.array(Id).max(1000) }),
)

// Devices and their users (docs/specification/identity.md). The gateway has checked the bodies. Unknown and foreign ids: not_found.

export const patchSubscription = call<{ id: string; optedIn: boolean }>()(
  'rpc.audience.patch-subscription',
  z.object({ appId: Id, subscriptionId: Id, changes: PatchSubscription }),
)

/** The app came to the foreground: counts a session when the last one began 30 minutes ago or more. */
export const startSession = call<{ id: string; sessionCount: number; lastSessionAt: string }>()(
  'rpc.audience.start-session',
  z.object({ appId: Id, subscriptionId: Id, session: SessionBody }),
)

/** Gives the device to the user with this external id (spec: identity/login). Fault: limit_reached. */
export const loginSubscription = call<{ userId: string; externalId: string }>()(
  'rpc.audience.login-subscription',
  z.object({ appId: Id, subscriptionId: Id, externalId: z.string(), keyKind }),
)

/** Gives the device to a new anonymous user without tags. */
export const logoutSubscription = call<{ userId: string }>()(
  'rpc.audience.logout-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** Changes the user who owns a device: tags are merged, null deletes a tag. Fault: invalid_body at `tags` above 100. */
export const changeOwner = call<{ userId: string; tags: User['tags'] }>()(
  'rpc.audience.change-owner',
  z.object({ appId: Id, subscriptionId: Id, changes: UserChanges, keyKind }),
)

export const deleteSubscription = call<Record<string, never>>()(
  'rpc.audience.delete-subscription',
  z.object({ appId: Id, subscriptionId: Id }),
)

/** A browser's endpoint changed: the device keeps its id, and another device that has the new endpoint is removed. */
export const rotateSubscription = call<{ id: string }>()('rpc.audience.rotate-subscription', z.object({ appId: Id, rotation: RotateBody }))

export const readUser = call<User>()('rpc.audience.read-user', z.object({ appId: Id, user: UserAddress }))

/** Changes a user. An unknown external id makes a user without devices; an unknown id is not_found. */
export const changeUser = call<User>()('rpc.audience.change-user', z.object({ appId: Id, user: UserAddress, changes: UserChanges }))

/**
 * Changes several users, each as changeUser would, one after another in one transaction. The answers are in the order of the users; a user who is unknown or
 * would have a 101st tag is not changed, and the answer is a fault. Fault: not_found (the app was erased).
 */
export const changeUsers = call<{ users: UserInBatchAnswer[] }>()(
  'rpc.audience.change-users',
  z.object({ appId: Id, users: z.array(UserInBatch).min(1).max(mostUsersInBatch) }),
  10_000,
)

/** Erases a user and all the user's devices. Every other app that has data of the user is told until it has answered. */
export const deleteUser = call<Record<string, never>>()('rpc.audience.delete-user', z.object({ appId: Id, user: UserAddress }))

/** External ids of users; users without one are left out. Webhooks asks when it freezes a delivery, because external ids never travel in a stored message. */
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

/** The test devices of an app, the one that was marked last first. Fault: invalid_body at `cursor`. */
export const listTestDevices = call<Listed<TestDevice>>()(
  'rpc.audience.list-test-devices',
  ListRequest.omit({ q: true }).extend({ appId: Id }),
)

/**
 * The devices that a test names, in the order of their ids; of users their test devices. `unreachable` says why no push is queued for a device. Faults: not_found
 * (a single device is unknown); invalid_body at `subscriptionIds.<i>` for a device that is no test device, and at the selector above 20 devices in all.
 */
export const findTestDevices = call<{
  devices: { subscriptionId: string; platform: Platform; unreachable: NotQueued['code'] | null }[]
}>()('rpc.audience.find-test-devices', z.object({ appId: Id, selector: TestSelector }))

// Users as the administration shows them (spec: administration/users): tokens and endpoints are masked. Unknown and foreign ids: not_found.

/**
 * An app's users, newest first. `q` finds them by a user's or a device's id, or by the beginning of an external id; `segmentId` leaves the users who have a reachable
 * device in that segment. With a segment 10,000 users are read for a page, which may be short. Faults: not_found (the segment), invalid_segment, rate_limited.
 */
export const listUsers = call<Listed<UserSummary>>()('rpc.audience.list-users', ListRequest.extend({ appId: Id, segmentId: Id.optional() }))

export const readMaskedUser = call<MaskedUser>()('rpc.audience.read-person', z.object({ appId: Id, user: UserAddress }))
/** Finds a user by the token or endpoint of a device, which is looked up by its hash. */
export const findUserByAddress = call<MaskedUser>()('rpc.audience.find-person', z.object({ appId: Id, address: AddressSearch }))
export const readDevice = call<OwnedDevice>()('rpc.audience.read-device', z.object({ appId: Id, subscriptionId: Id }))

/** Devices that an identified user had before, in the order of their ids. They are kept as long as the ledger keeps their pushes. */
export const listFormerDevices = call<{ subscriptionIds: string[]; next: string | null }>()(
  'rpc.audience.list-former-devices',
  z.object({ appId: Id, userId: Id, after: Id.nullable() }),
)

/**
 * The next users of an app by id, with their devices: 500 users or a megabyte. `next` is the `after` of the next page, null at the end. With a segment a page
 * may be empty. Faults: those of listUsers.
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

/** Counts the devices of a segment now and stores the count. Fault: invalid_segment when the stored definition no longer compiles. */
export const countSegment = call<SegmentCount>()('rpc.audience.count-segment', z.object({ appId: Id, segmentId: Id }), 24_000)

/** Counts the devices of a definition that is not saved; null stands for everyone. Any value is accepted here: a mistake in it is answered as a fault with its path. */
export const previewSegment = call<SegmentCount>()('rpc.audience.preview-segment', z.object({ appId: Id, segment: z.unknown() }), 24_000)

/** A user with the devices that the user has now, at most 100, for explain. Null when there is no such user. */
export const findDevicesOf = call<{ user: { id: string; externalId: string | null }; subscriptionIds: string[] } | null>()(
  'rpc.audience.find-devices-of',
  z.object({ appId: Id, user: UserAddress }),
)

/** Bodies that explain passes on are only checked to be objects: campaigns and the gateway have read them from their own rows, and nothing is written of them. */
const anObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A device as audience explains it. */
export type ExplainedDevice = {
  subscriptionId: string
  /** Null when there is no such device (any more). */
  platform: Platform | null
  owner: { id: string; externalId: string | null } | null
  /** The steps from `device` to `message` that apply. Whether a step stops the push is decided as if no push were there yet. */
  steps: ExplainedStep[]
  /**
   * Where its push is. `nowhere`: the send has not begun. `ahead`: the device's page is not cut yet. `open`: the push is in a batch that is not done. `past`: the
   * page was cut, and no batch has the push any more. `passed`: the send ended before it came to the device.
   */
  push:
    | { is: 'nowhere' | 'past' | 'passed' }
    | { is: 'ahead'; waitingFor: WaitingFor }
    | { is: 'open'; verdict: Verdict; waitingFor: WaitingFor; queuedFor: string; no: number; trail: Attempt[] }
}

/**
 * Explains devices of an app for a send, in one snapshot. `send` and `target` are from the campaign's row. `settings` are the app's as they are now; they
 * count where the send has frozen none. `no`: the batch in which a push is by the ledger. `begins`: the send has not been sent yet, and is
 * explained as if it were sent now.
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
    /** When the send began by the row of campaigns (ISO), for sends of which audience keeps no row any more. */
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
 * What a send would do if it began at `startsAt` (null stands for now), with the app's present settings. Everything is counted by the statements of a
 * fan-out in one read-only transaction, and nothing is written. `send` and `target` come from campaigns (`resolveSend`), so only the fields that decide what is
 * counted are checked again. Faults: not_found (the app), invalid_segment, rate_limited.
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

/** The devices of an app, counted now or less than 60 s ago. For more than 5,000,000 devices the numbers are those of the last day that was counted. */
export const countDevices = call<DeviceCounts>()('rpc.audience.count-devices', z.object({ appId: Id }), 12_000)

/**
 * Devices of an app by UTC day, from the day of `from` on (null: the last 30 days), and before the day of `to` (null: up to now). A day that was not counted is
 * left out. Fault: invalid_body at `from`.
 */
export const readDeviceDays = call<{ points: DeviceDay[] }>()(
  'rpc.audience.read-device-days',
  z.object({ appId: Id, from: z.iso.datetime().nullable(), to: z.iso.datetime().nullable() }),
)

// Imports of devices from elsewhere (spec: administration/import). Faults: not_found, invalid_state.

/** Begins an import. Fault `invalid_state`: the app has an import that is still receiving rows. */
export const startImport = call<ImportReport>()('rpc.audience.start-import', z.object({ appId: Id, settings: StartImport }))
/** An import. `header`: the names of the file's columns, once they were read. `tail`: the bytes behind `offset` that are no whole row yet, as base64. */
export const readImport = call<{ report: ImportReport; header: string[] | null; tail: string | null }>()(
  'rpc.audience.read-import',
  z.object({ appId: Id, importId: Id }),
)
export const listImports = call<Listed<ImportReport>>()('rpc.audience.list-imports', ListRequest.extend({ appId: Id }))
/** The errors of an import in the order of rows, after the row `after`. */
export const listImportErrors = call<{ items: ImportError[]; nextCursor: string | null }>()(
  'rpc.audience.list-import-errors',
  z.object({ appId: Id, importId: Id, limit: z.number().int().min(1).max(200), after: z.number().int().min(0) }),
)
/**
 * Writes the rows of a lot: one transaction that moves the import from `offset` to `nextOffset`, or does nothing. Fault `invalid_state` with the
 * right offset at `offset`: the import is at another offset.
 */
export const importLot = call<ImportReport>()('rpc.audience.import-lot', z.object({ appId: Id, importId: Id, lot: ImportLot }), 20_000)
/** Keeps the bytes behind `offset` that have no line end: they are the last row when the import is finished. */
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
