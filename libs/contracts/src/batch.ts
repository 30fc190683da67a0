import { z } from 'zod'
import type { Content } from './content.ts'
import { failureCodes, mostPlaces, type Attempt, type FailureCode, type SkipReason } from './outcome.ts'
import { lanes, platforms, type Lane, type Platform } from './platform.ts'
import type { RecipientColumns } from './recipient.ts'
import type { Bypass, Presentation, Priority } from './send-fields.ts'

const Id = z.string().length(24)

/**
 * A pointer at a campaign's fan-out. Page 0 says that a campaign is due, page n that page n may be cut. `appId` is the app in whose turn it is handled;
 * all pointers without one share a turn.
 */
export const FanOutPointer = z.object({ campaignId: Id, page: z.number().int().min(0), appId: Id.optional() })
export type FanOutPointer = z.infer<typeof FanOutPointer>

/** A pointer at a batch row. Platform and lane are in the subject. `size` is the number of its pushes; a repeated pointer does not say it. */
export const BatchPointer = z.object({ batchId: Id, campaignId: Id, appId: Id, size: z.number().int().min(1).optional() })
export type BatchPointer = z.infer<typeof BatchPointer>
/**
 * The most pointers in one message on a lane: pointers at small batches, also of several apps, share a message. They are so few that one message takes up
 * no large part of what a dispatcher works on at once.
 */
export const pointersPerMessage = 16
export const BatchPointers = z.object({ batches: z.array(BatchPointer).min(1).max(pointersPerMessage) })
export type BatchPointers = z.infer<typeof BatchPointers>

/** How long a dispatcher holds a batch that it took. It renews the lease every `leaseRenewMs` (docs/architecture.md, Leases around the outside). */
export const leaseMs = 12_000
export const leaseRenewMs = 3_000
/** A batch holds at most this many pushes, a page of the fan-out scans this many subscriptions. */
export const batchSize = mostPlaces
export const pageSize = 5_000
/** A send whose first page is its last and that reaches at most this many devices goes on the prompt lane. */
export const promptLimit = 1_000
/** The most ready or leased bulk batches of an app and platform. Retries are not counted. Held batches are, when a send has no others. */
export const bulkWindow = 16
/** A send that names at most this many users or devices is begun together with others, if it reaches at most this many devices. */
export const smallSend = 100
/** A batch of at most this many pushes is taken and finished together with others. */
export const smallBatch = 20
/** At most this many tries at the provider (spec: providers/tries). */
export const maxTries = 5

/** A send as it was when it was accepted: everything that the dispatcher needs, except the recipients. */
export type FrozenSend = {
  campaignId: string
  appId: string
  name: string
  transactional: boolean
  /** Null for a silent push without content. */
  content: Content | null
  silent: boolean
  data: Record<string, string>
  /** Seconds; where the sender gave none, the default is filled in. 0 means now or never (spec: sending/ttl-zero). */
  ttl: number
  collapseId: string | null
  priority: Priority
  presentation: Presentation | null
  bypass: Bypass
  /** Sends different texts to the users in its sample; for users outside of it nothing is queued. `content` is the fallback. */
  experiment?: SendExperiment | null
  /** The send of an experiment's winner to the users outside of its sample. Those who have an outcome in the experiment are left out. */
  remainder?: { of: string; sampleRate: number } | null
  /** The send is a test: no delivery rule applies to it, and its outcomes are marked. Absent in every other send. */
  test?: true
  /** Sent at each user's next `localTime` after `after` (ISO), in waves. */
  userTimezone?: { localTime: string; after: string } | null
  /** The app's time zone, in which the filter `date` shows times to users without one. Audience adds it from the app's settings at the first page. */
  defaultTimezone?: string
}

export type { Recipient } from './recipient.ts'

export type SendExperiment = { sampleRate: number; variants: { id: string; weight: number; content: Content }[] }

/** The APNs environment of an answer or a circuit; empty for the other platforms, which have one. */
export const environments = ['', 'production', 'sandbox'] as const
export type CircuitEnvironment = (typeof environments)[number]

/** A push whose outcome is known without a try at the provider. It travels with the batch to the ledger. */
export type Decided = {
  /** As a Recipient's. */
  place: number
  subscriptionId: string
  userId: string
  tokenVersion: number
  attempts: number
} & ({ outcome: 'skipped'; code: SkipReason; providerCode?: string } | { outcome: 'failed'; code: FailureCode; providerCode?: string })

/** A batch that a waiting dispatcher holds from the commit that made the batch; `takes` is its fencing number. */
export type GivenBatch = { batchId: string; campaignId: string; appId: string; platform: Platform; lane: Lane; takes: number; size: number }

/**
 * The answer to a take. `gone`: the batch is done or unknown. `busy`: another dispatcher holds it. `held`: it is not due yet, its circuit is open or its campaign
 * is paused. After each of the three the dispatcher acks the pointer; the sweep points at the row again where that is needed.
 */
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
      /** The fencing number. Finish and renew carry it; with the number of an earlier take they are answered `lost`. */
      takes: number
      /** Tries at the provider before this one; a kill counts none. */
      tries: number
      /** The providers' answers to these tries; absent when none is known. */
      trail?: Attempt[] | undefined
      /** ISO timestamp from which the ttl counts. */
      queuedAt: string
      /** How many milliseconds of the ttl were used up when the batch was taken, by the database's clock. */
      elapsedMs: number
      send: FrozenSend | null
      recipients: RecipientColumns
      decided: Decided[]
      /** The circuit is open and this take is its probe: only the first recipient is sent to, the others come back as retries. */
      probe: boolean
      /** iOS: environments whose circuit is open though the batch as a whole is not held; their recipients come back as retries in `inMs`. */
      heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
      /** There are further recipients: the dispatcher asks again, and `from` is the number that it has so far. */
      more: boolean
    }

/** The place of a push in its batch, as the take gave it. */
const Place = z
  .number()
  .int()
  .min(0)
  .max(mostPlaces - 1)

/** A duration. Instants do not travel, because they are compared with the database's clock, and a dispatcher's clock may be minutes off. */
const Milliseconds = z.number().int().min(0).max(86_400_000)

/** Shortens letters of answers for the wire: equal letters in a row become one letter and their number. 500 sends are `s500`. */
export const shortenAnswers = (letters: string): string => letters.replaceAll(/(.)\1+/g, (run) => `${run.charAt(0)}${run.length}`)
/** Undoes `shortenAnswers`: one letter for each answer. */
export const spellAnswers = (seen: string): string =>
  seen.replaceAll(/([a-z])(\d+)/g, (_run, letter: string, count: string) => letter.repeat(Number(count)))
const countAnswers = (seen: string): number => seen.match(/[a-z]\d*/g)?.reduce((sum, run) => sum + Number(run.slice(1) || 1), 0) ?? 0

export const FinishBatch = z.object({
  batchId: Id,
  appId: Id.optional(),
  takes: z.number().int(),
  /** iOS: the APNs environment that accepted a token, when it is not the environment that was asked first. */
  environments: z.array(z.object({ subscriptionId: Id, environment: z.enum(['production', 'sandbox']) })).max(batchSize),
  /** Devices that are in no other list and whose push ended without being accepted by the provider. A device of the batch that is in no list was sent to. */
  unsent: z.array(Id).max(batchSize),
  /**
   * Tokens that the provider does not know any more. The answer came `agoMs` milliseconds before this call; a device that has registered again since then
   * stays valid. So does a device that registered after `deadSince`, where the provider says since when the token is dead (ISO, by its own clock).
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
   * Answers that may come from a wrong configuration (the mass guard looks at them). The tracker is not told of them: finish-batch decides whether they are
   * final (a batch of decided failures), or come back as retries because the circuit opens. `tries` counts the try just made.
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
   * Pushes whose provider was away: 5xx, no connection, no answer. The tracker is not told of them. While their circuit is open, their try does not count and
   * they wait for its probe. Otherwise they come back in `retryInMs`, or have failed when that is null (the tries or the ttl are used up). `tries` counts the
   * try just made.
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
   * What the provider's answers say about the circuit, by environment, in the order in which they came: `s` sent, `g` guarded, `w` the credentials may be wrong
   * (one push service said so), `c` the credentials are wrong for sure, `u` the provider is unavailable, `a` any other answer. `a` is there only beside a `u` and
   * for a probe. Batches of web pushes have neither `u` nor `a`: each push service may be away alone, and the dispatcher takes care of that. The letters are
   * shortened by `shortenAnswers`.
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
  /** The send is a test: its announcements say so. */
  test: z.literal(true).optional(),
  /** The version of the credentials that were used; null when there were none. */
  credentialsVersion: z.number().int().nullable().default(null),
  /** Pushes to be tried again in `retryInMs`, after `tries` tries. `code` and `providerCode` say why; they are null and empty when there was no try. */
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
