import { z } from 'zod'
import type { Content } from './content.ts'
import { failureCodes, mostPlaces, type Attempt, type FailureCode, type SkipReason } from './outcome.ts'
import { lanes, platforms, type Lane, type Platform } from './platform.ts'
import type { RecipientColumns } from './recipient.ts'
import type { Bypass, Presentation, Priority } from './send-fields.ts'

const Id = z.string().length(24)

/**
 * A pointer at a campaign's fan-out: page 0 says that a campaign is due, page n that page n may be cut. `appId` says whose turn it is; a pointer
 * without one shares the turn of all others without.
 */
export const FanOutPointer = z.object({ campaignId: Id, page: z.number().int().min(0), appId: Id.optional() })
export type FanOutPointer = z.infer<typeof FanOutPointer>

/** A pointer at a batch row. Platform and lane are in the subject. `size`: how many pushes it holds; unknown where it is a repeat. */
export const BatchPointer = z.object({ batchId: Id, campaignId: Id, appId: Id, size: z.number().int().min(1).optional() })
export type BatchPointer = z.infer<typeof BatchPointer>
/**
 * What a message on a lane of pushes holds: pointers of small batches travel in company, also those of several apps. Few enough that one
 * message is no large part of a dispatcher's places.
 */
export const pointersPerMessage = 16
export const BatchPointers = z.object({ batches: z.array(BatchPointer).min(1).max(pointersPerMessage) })
export type BatchPointers = z.infer<typeof BatchPointers>

/** How long a taken batch is the dispatcher's; renewed every `leaseRenewMs` (docs/architecture.md, Leases around the outside). */
export const leaseMs = 12_000
export const leaseRenewMs = 3_000
/** A batch holds at most this many pushes, a page of the fan-out scans this many subscriptions. */
export const batchSize = mostPlaces
export const pageSize = 5_000
/** A send whose first page is its last and that reaches at most this many devices goes on the prompt lane. */
export const promptLimit = 1_000
/** Ready or leased bulk batches per app and platform. Retries are not counted; held ones are where a send has nothing else to go on with. */
export const bulkWindow = 16
/** A send that names at most so many is begun together with others, if it reaches at most so many devices. */
export const smallSend = 100
/** A batch of at most so many pushes is taken and finished together with others. */
export const smallBatch = 20
/** At most this many tries at the provider (spec: providers/tries). */
export const maxTries = 5

/** What a send says, frozen when it was accepted: everything the dispatcher needs but the recipients. */
export type FrozenSend = {
  campaignId: string
  appId: string
  name: string
  transactional: boolean
  /** Null for a silent push without content. */
  content: Content | null
  silent: boolean
  data: Record<string, string>
  /** Seconds, resolved: the default is already in. 0 means now or never (spec: sending/ttl-zero). */
  ttl: number
  collapseId: string | null
  priority: Priority
  presentation: Presentation | null
  bypass: Bypass
  /** Sends different texts; who lies outside the sample is not queued. `content` is the fallback. */
  experiment?: SendExperiment | null
  /** A winner's follow-up: only who lies outside the sample of that experiment and has no outcome in it. */
  remainder?: { of: string; sampleRate: number } | null
  /** A test: it obeys no delivery rule, and what comes of it is marked. Absent in every other send. */
  test?: true
  /** Sent at each user's next `localTime` after `after` (ISO), in waves. */
  userTimezone?: { localTime: string; after: string } | null
  /** The app's zone, for the filter `date` of users without one: audience adds it from the app's settings, frozen at the first page. */
  defaultTimezone?: string
}

export type { Recipient } from './recipient.ts'

export type SendExperiment = { sampleRate: number; variants: { id: string; weight: number; content: Content }[] }

/** The APNs environment of an answer or a circuit; empty for the other platforms, which have one. */
export const environments = ['', 'production', 'sandbox'] as const
export type CircuitEnvironment = (typeof environments)[number]

/** A push whose end is already known, without a try at the provider: travels with the batch to the ledger. */
export type Decided = {
  /** As a Recipient's. */
  place: number
  subscriptionId: string
  userId: string
  tokenVersion: number
  attempts: number
} & ({ outcome: 'skipped'; code: SkipReason; providerCode?: string } | { outcome: 'failed'; code: FailureCode; providerCode?: string })

/** A batch that is a waiting dispatcher's from the commit that made it; `takes` is its number there. */
export type GivenBatch = { batchId: string; campaignId: string; appId: string; platform: Platform; lane: Lane; takes: number; size: number }

/** `gone`: done or unknown; `busy`: another holds it; `held`: not yet due, its circuit is open or its campaign paused. All three: ack, the row comes back by the sweep. */
export type TakenBatch =
  | { answer: 'gone' | 'busy' | 'held' }
  | {
      answer: 'taken'
      batchId: string
      campaignId: string
      appId: string
      platform: Platform
      lane: Lane
      day: string
      /** The number, per campaign, of the batch that these pushes were queued in. */
      no: number
      /** The fencing number: finish and renew carry it; another's is answered `lost`. */
      takes: number
      /** Tries at the provider before this one; a kill counts none. */
      tries: number
      /** What its pushes heard at these tries; absent where none is known. */
      trail?: Attempt[] | undefined
      /** ISO timestamp from which the ttl counts. */
      queuedAt: string
      /** Milliseconds of the ttl that were used up at the moment of the take, by the database's clock. */
      elapsedMs: number
      send: FrozenSend | null
      recipients: RecipientColumns
      decided: Decided[]
      /** The circuit is open and this take is its probe: only the first recipient is sent to, the others come back as retries. */
      probe: boolean
      /** iOS: environments whose circuit is open though the batch as a whole is not held; their recipients come back as retries in `inMs`. */
      heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
      /** There are further recipients: ask again with `from` = how many were answered so far. */
      more: boolean
    }

/** Of a push in its batch, as the take told it. */
const Place = z
  .number()
  .int()
  .min(0)
  .max(mostPlaces - 1)

/** A duration. Instants do not travel: a dispatcher's clock may be minutes off the database's, which all of them are held against. */
const Milliseconds = z.number().int().min(0).max(86_400_000)

/** Answers as they travel: of equal letters in a row one, and how many they are when they are more than one. 500 sends are `s500`. */
export const shortenAnswers = (letters: string): string => letters.replaceAll(/(.)\1+/g, (run) => `${run.charAt(0)}${run.length}`)
/** The letters of answers that travelled, one each. */
export const spellAnswers = (seen: string): string =>
  seen.replaceAll(/([a-z])(\d+)/g, (_run, letter: string, count: string) => letter.repeat(Number(count)))
const countAnswers = (seen: string): number => seen.match(/[a-z]\d*/g)?.reduce((sum, run) => sum + Number(run.slice(1) || 1), 0) ?? 0

export const FinishBatch = z.object({
  batchId: Id,
  appId: Id.optional(),
  takes: z.number().int(),
  /** iOS: the APNs environment that accepted a token, where that is another than the one that was asked first. */
  environments: z.array(z.object({ subscriptionId: Id, environment: z.enum(['production', 'sandbox']) })).max(batchSize),
  /** Devices whose push ended without being accepted and that no other list names. Every device of the batch that no list names was sent to. */
  unsent: z.array(Id).max(batchSize),
  /**
   * Tokens the provider called dead. A device that registered again after it was asked (`agoMs` milliseconds before this call) is left alone;
   * so is one that registered after `deadSince`, where the provider says since when (ISO, by its own clock).
   */
  dead: z
    .array(
      z.object({
        subscriptionId: Id,
        userId: Id,
        tokenVersion: z.number().int(),
        agoMs: Milliseconds,
        deadSince: z.iso.datetime().nullable(),
        code: z.string().max(64),
      }),
    )
    .max(batchSize),
  /**
   * Answers that may be our own mistake (the mass guard judges them): not told to the tracker. finish-batch decides whether they are final
   * (a batch of decided failures), or come back as retries because the circuit opens. `tries` counts the one just made.
   */
  guarded: z
    .array(
      z.object({
        place: Place,
        subscriptionId: Id,
        userId: Id,
        tokenVersion: z.number().int(),
        tries: z.number().int(),
        agoMs: Milliseconds,
        code: z.enum(failureCodes),
        providerCode: z.string().max(200),
      }),
    )
    .max(batchSize)
    .default([]),
  /**
   * Pushes that the provider was not there for: 5xx, no connection, no answer. Not told to the tracker. While their circuit is open they have
   * made no try and wait for its probe; else they come back in `retryInMs`, or have failed when that is null (the tries or the ttl are used
   * up). `tries` counts the one just made.
   */
  unavailable: z
    .array(
      z.object({
        place: Place,
        subscriptionId: Id,
        userId: Id,
        tokenVersion: z.number().int(),
        environment: z.enum(environments),
        tries: z.number().int(),
        retryInMs: Milliseconds.nullable(),
        /** How long ago its answer was heard. */
        agoMs: Milliseconds.optional(),
        code: z.enum(failureCodes),
        providerCode: z.string().max(200),
      }),
    )
    .max(batchSize)
    .default([]),
  /**
   * What the provider's answers say about the way to it, in the order they came, by environment: `s` sent, `g` guarded, `w` perhaps our
   * credentials (one push service said so), `c` our credentials for sure, `u` the provider is unavailable, `a` any other answer. `a` is told
   * beside a `u` and by a probe only. Web pushes tell neither: each push service is away for itself, and the dispatcher sees to that.
   * Equal letters in a row are one letter and their number (`shortenAnswers`).
   */
  answers: z
    .array(
      z.object({
        environment: z.enum(environments),
        seen: z
          .string()
          .max(2 * batchSize)
          .regex(/^([sgwcua]\d{0,4})*$/)
          .refine((seen) => countAnswers(seen) <= 2 * batchSize),
        code: z.enum(failureCodes).nullable(),
      }),
    )
    .max(3)
    .default([]),
  /** The send is a test: what is announced of it says so. */
  test: z.literal(true).optional(),
  /** The version of the credentials that were used; null: there were none. */
  credentialsVersion: z.number().int().nullable().default(null),
  /** To be tried again in `retryInMs`, with `tries` made already. `code` and `providerCode`: why; null and empty when it was not tried. */
  retries: z
    .array(
      z.object({
        place: Place,
        subscriptionId: Id,
        userId: Id,
        tries: z.number().int(),
        retryInMs: Milliseconds,
        /** How long ago its answer was heard. */
        agoMs: Milliseconds.optional(),
        code: z.enum(failureCodes).nullable().default(null),
        providerCode: z.string().max(200).default(''),
      }),
    )
    .max(batchSize),
})
export type FinishBatch = z.infer<typeof FinishBatch>

/** The subject of a batch's pointer. */
export const batchSubject = (platform: Platform, lane: Lane): string => `work.push.${platform}.${lane}`
export const everyLane = platforms.flatMap((platform) => lanes.map((lane) => ({ platform, lane })))
