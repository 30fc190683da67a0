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
  z.object({ room: z.object(perPlatform(() => Room)), full: z.array(Id).max(100) }),
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
/** An open circuit, without what it holds. */
export type OpenCircuit = Omit<Circuit, 'state' | 'heldCount'> & { appId: string }
/** The circuits of all apps that are open, the newest first and 100 at most, and how many there are. */
export const listOpenCircuits = call<{ circuits: OpenCircuit[]; count: number }>()('rpc.audience.list-open-circuits', z.object({}))
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
    platform: z.enum(platforms).optional(),
    /** By when the push was queued: from this moment on, and before that. */
    from: z.iso.datetime().optional(),
    to: z.iso.datetime().optional(),
    limit: z.number().int().min(1).max(200),
    cursor: z.string().max(200).optional(),
  }),
)

/** A wave of a send: the users of some zones, who are sent to at one instant (spec: administration/waves). */
export type SendWave = {
  /** Counted from 1. */
  no: number
  /** When it begins (ISO). */
  at: string
  /** The zones of its users, null for users without one. Null: everybody. The last wave takes everybody else too. */
  zones: (string | null)[] | null
  /** `cancelled`: the send ended before it. */
  state: 'waiting' | 'running' | 'done' | 'cancelled'
  /** Pushes that it has queued so far. */
  queued: number
  byPlatform: Record<Platform, number>
}
/** The waves of a send, in order. None: its fan-out has not begun, or its row is past retention. */
export const readWaves = call<{ waves: SendWave[] }>()('rpc.audience.read-waves', z.object({ appId: Id, campaignId: Id }))

/** A tag that users of an app have (spec: administration/tags). */
export type TagUse = {
  name: string
  /** Of its values; `mixed` when they are of several types. */
  type: 'string' | 'number' | 'boolean' | 'mixed'
  users: number
  /** The 95 % interval of `users`; both are `users` where it is exact. */
  low: number
  high: number
  /** The five most frequent values as text, the first 100 characters of each. */
  values: string[]
}
export type TagUses = {
  tags: TagUse[]
  /** Every user of the app was read. */
  exact: boolean
  /** Users that were read. */
  sample: number
  /** Users of the app, estimated where it is not exact. */
  users: number
  asOf: string
}
/** The names of tags that users of an app have, in their order, at most 2,000: read at most once in 30 s. */
export const listTags = call<TagUses>()('rpc.audience.list-tags', z.object({ appId: Id }))

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

// Test devices (spec: administration/test-devices).

/** Makes a device a test device, or an ordinary one again. Faults: not_found; limit_reached above 100 of an app. */
export const markTestDevice = call<{ id: string; optedIn: boolean; test: boolean }>()(
  'rpc.audience.mark-test-device',
  z.object({ appId: Id, subscriptionId: Id, test: z.boolean() }),
)

/** The test devices of an app, the one marked last first. Fault: invalid_body at `cursor`. */
export const listTestDevices = call<Listed<TestDevice>>()(
  'rpc.audience.list-test-devices',
  ListRequest.omit({ q: true }).extend({ appId: Id }),
)

/**
 * The devices that a test names, in the order of their ids; `unreachable` says why a push is not queued for one. Of users these are their test devices. Faults: not_found
 * (the one device); invalid_body at `subscriptionIds.<i>` of what is no test device, and at the selector above 20 devices in all.
 */
export const findTestDevices = call<{
  devices: { subscriptionId: string; platform: Platform; unreachable: NotQueued['code'] | null }[]
}>()('rpc.audience.find-test-devices', z.object({ appId: Id, selector: TestSelector }))

// People as the administration sees them (spec: administration/users): addresses are masked. Unknown and foreign ids: not_found.

/**
 * An app's users, newest first: by `q` (a user's or a device's id, else the beginning of an external id), or those of whom a segment means a reachable
 * device. With a segment a page looks at 10,000 users and may be short. Faults: not_found (the segment), invalid_segment, rate_limited.
 */
export const listUsers = call<Listed<UserSummary>>()('rpc.audience.list-users', ListRequest.extend({ appId: Id, segmentId: Id.optional() }))

export const readMaskedUser = call<MaskedUser>()('rpc.audience.read-person', z.object({ appId: Id, user: UserAddress }))
/** Finds a person by the token or endpoint of a device, which are looked up by their hash. */
export const findUserByAddress = call<MaskedUser>()('rpc.audience.find-person', z.object({ appId: Id, address: AddressSearch }))
export const readDevice = call<OwnedDevice>()('rpc.audience.read-device', z.object({ appId: Id, subscriptionId: Id }))

/** Devices that have left an identified user, for as long as the ledger keeps their pushes, in the order of their ids. */
export const listFormerDevices = call<{ subscriptionIds: string[]; next: string | null }>()(
  'rpc.audience.list-former-devices',
  z.object({ appId: Id, userId: Id, after: Id.nullable() }),
)

/**
 * The next users of an app by id, with their devices: 500 of them or a megabyte. `next`: where to go on, null at the end; with a segment a page may hold
 * none. Faults: those of listUsers.
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

/** Whose devices are asked about: a user with the devices that they have now, at most 100; null: there is no such user. */
export const findDevicesOf = call<{ user: { id: string; externalId: string | null }; subscriptionIds: string[] } | null>()(
  'rpc.audience.find-devices-of',
  z.object({ appId: Id, user: UserAddress }),
)

const anObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A device as audience explains it. */
export type ExplainedDevice = {
  subscriptionId: string
  /** Null: there is no such device (any more). */
  platform: Platform | null
  owner: { id: string; externalId: string | null } | null
  /** From `device` to `message`, without those that do not apply. What stops is judged as if no push were there yet. */
  steps: ExplainedStep[]
  /**
   * Where its push is: `nowhere`, the send has not begun; `ahead`, its page is still to be cut; `open`, in a batch that is not done; `past`, its page
   * was cut and there is no such batch; `passed`, the send ended before it came to the device.
   */
  push:
    | { is: 'nowhere' | 'past' | 'passed' }
    | { is: 'ahead'; waitingFor: WaitingFor }
    | { is: 'open'; verdict: Verdict; waitingFor: WaitingFor; queuedFor: string; no: number; trail: Attempt[] }
}

/**
 * Explains devices of an app for a send, in one snapshot. `send` and `target` are the campaign's own row, `settings` the app's as they are now, which
 * count where the send has not frozen any. `no`: the batch that the ledger says a push is in. `begins`: the send has not been sent yet, and is
 * taken as if it were now.
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
    /** As campaigns knows it (ISO), for sends of which audience keeps no row any more. */
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
 * What a send would do if it began at `startsAt` (null: now), with the app's settings of now: everything is counted by the statements of a
 * fan-out in one read-only transaction, and nothing is written. Faults: not_found (the app), invalid_segment, rate_limited.
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

/** The devices of an app, counted now or less than 60 s ago; of more than 5,000,000 devices those of the last day that was taken. */
export const countDevices = call<DeviceCounts>()('rpc.audience.count-devices', z.object({ appId: Id }), 12_000)

/** Devices of an app by UTC day, from that of `from` on (null: the last 30), days before that of `to` only (null: all). A day that nobody took is not in it. Fault: invalid_body at `from`. */
export const readDeviceDays = call<{ points: DeviceDay[] }>()(
  'rpc.audience.read-device-days',
  z.object({ appId: Id, from: z.iso.datetime().nullable(), to: z.iso.datetime().nullable() }),
)

// Imports of devices from elsewhere (spec: administration/import). Faults: not_found, invalid_state.

/** Begins an import. Fault `invalid_state`: the app has one that is receiving. */
export const startImport = call<ImportReport>()('rpc.audience.start-import', z.object({ appId: Id, settings: StartImport }))
/** `header`: the names of the file's columns, once they were read. `tail`: the bytes behind `offset` that are no whole row yet, as base64. */
export const readImport = call<{ report: ImportReport; header: string[] | null; tail: string | null }>()(
  'rpc.audience.read-import',
  z.object({ appId: Id, importId: Id }),
)
export const listImports = call<Listed<ImportReport>>()('rpc.audience.list-imports', ListRequest.extend({ appId: Id }))
/** In the order of rows, after the row `after`. */
export const listImportErrors = call<{ items: ImportError[]; nextCursor: string | null }>()(
  'rpc.audience.list-import-errors',
  z.object({ appId: Id, importId: Id, limit: z.number().int().min(1).max(200), after: z.number().int().min(0) }),
)
/**
 * Writes a lot: one transaction that moves the import from `offset` to `nextOffset`, or does nothing. Fault `invalid_state` with the
 * right offset at `offset`: the import is elsewhere.
 */
export const importLot = call<ImportReport>()('rpc.audience.import-lot', z.object({ appId: Id, importId: Id, lot: ImportLot }), 20_000)
/** Keeps what stands behind `offset` and has no line end: the last row, when the import is finished. */
export const keepImportTail = call<ImportReport>()(
  'rpc.audience.keep-import-tail',
  z.object({ appId: Id, importId: Id, offset: z.number().int().min(0), tail: z.base64() }),
)
/** Fault `invalid_state`: the import is not receiving, or not at `offset`. */
export const finishImport = call<ImportReport>()(
  'rpc.audience.finish-import',
  z.object({ appId: Id, importId: Id, offset: z.number().int().min(0) }),
)
export const cancelImport = call<ImportReport>()('rpc.audience.cancel-import', z.object({ appId: Id, importId: Id }))
