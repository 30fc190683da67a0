import { z } from 'zod'
import type { FrozenCategory } from './category.ts'
import type { Content } from './content.ts'
import type { ActivityTokens, LiveActivity } from './live-activity.ts'
import type { LocalMoment } from './local-moment.ts'
import { failureCodes, mostPlaces, type Attempt, type FailureCode, type SkipReason } from './outcome.ts'
import type { Overrides } from './overrides.ts'
import { lanes, platforms, type Lane, type Platform } from './platform.ts'
import type { FrozenRecall } from './recall.ts'
import type { RecipientColumns } from './recipient.ts'
import type { Bypass, Presentation, Priority } from './send-fields.ts'
import { Id } from './text.ts'

/**
 * A pointer at the fan-out of a campaign. Page 0 says that the fan-out is to begin; page n, that page n may be made. Audience handles waiting
 * pointers with apps taking turns; those without an `appId` share one turn.
 */
export const FanOutPointer = z.object({ campaignId: Id, page: z.number().int().min(0), appId: Id.optional() })
export type FanOutPointer = z.infer<typeof FanOutPointer>

/**
 * A pointer at the row of a batch. The message's subject names platform and lane. `size` is the number of pushes; absent, for example, in a repeated
 * pointer, whose batch a dispatcher takes in a call of its own.
 */
export const BatchPointer = z.object({ batchId: Id, campaignId: Id, appId: Id, size: z.number().int().min(1).optional() })
export type BatchPointer = z.infer<typeof BatchPointer>
/**
 * Pointers at small batches, also of several apps, share a message on a lane. A message has at most this many, so that it is only a small part of
 * what a dispatcher works on at once.
 */
export const pointersPerMessage = 16
export const BatchPointers = z.object({ batches: z.array(BatchPointer).min(1).max(pointersPerMessage) })
export type BatchPointers = z.infer<typeof BatchPointers>

/**
 * The lease on a batch that a dispatcher takes lasts this long. The dispatcher renews the lease every `leaseRenewMs` (docs/architecture.md, Leases).
 */
export const leaseMs = 12_000
export const leaseRenewMs = 3_000
/** A batch has at most `batchSize` pushes. A page of the fan-out scans `pageSize` devices, so it may make several batches. */
export const batchSize = mostPlaces
export const pageSize = 5_000
/** A send goes on the prompt lane when its first page is its last and it reaches at most this many devices. */
export const promptLimit = 1_000
/**
 * Campaigns hands sends that name at most this many users or devices over in a call. A send begins alone when it reaches more devices, or when local
 * times, quiet hours, a cap or a hold-out apply.
 */
export const smallSend = 100
/** A batch is small when it has at most this many pushes. One call may take several small batches, and one call may finish several. */
export const smallBatch = 20
/** A push has at most this many attempts that count (spec: providers/tries). An attempt after which the push's circuit is open does not count. */
export const maxTries = 5

/** A send as it was when it was accepted: everything that the dispatcher needs, except the recipients. */
export type FrozenSend = {
  campaignId: string
  appId: string
  name: string
  transactional: boolean
  /** Null for a silent send without content, whose pushes show nothing in any case. */
  content: Content | null
  silent: boolean
  data: Record<string, string>
  /**
   * The time to live, in seconds. When the sender gave none, it is the default. With 0 the provider delivers at once or not at all
   * (spec: sending/ttl-zero).
   */
  ttl: number
  collapseId: string | null
  priority: Priority
  presentation: Presentation | null
  /** What is merged last into what each provider gets; absent in most sends. */
  overrides?: Overrides | null
  /** The category of the send; absent in a send without one. Who is not in it is skipped (spec: categories/skipped). */
  category?: FrozenCategory | null
  bypass: Bypass
  /** Set on a send that people find in their inbox: opted-out devices are queued too, and skipped (spec: inbox/opted-out). */
  inbox?: true
  /** Set on a send to a Live Activity, which goes to tokens of that activity and not to those of devices. `content` is its alert. */
  activity?: LiveActivity
  /** How many pushes a minute the send hands over for the first time, at most; absent in most sends. */
  sendRate?: { perMinute: number }
  /**
   * The experiment of the send: each user in its sample gets the text of one variant, and no push is queued for the other users. `content` is the
   * text of a send without an experiment.
   */
  experiment?: SendExperiment | null
  /**
   * Set on the send of an experiment's winner, which goes to the users outside the sample of the experiment with the campaign id `of`. Devices
   * that have an outcome in that experiment are left out.
   */
  remainder?: { of: string; sampleRate: number } | null
  /** Set on the follow-up of a recall, whose pushes carry the identity of the first campaign's and obey no delivery rule; absent in every other send. */
  recall?: FrozenRecall
  /** Set when the send is a test: no delivery rule applies to it, and its outcomes are marked. Absent in every other send. */
  test?: true
  /**
   * Set when the send goes out in waves, to each user at a local time in the user's time zone (`dueIn`). `after`: when the send was asked for (ISO).
   */
  userTimezone?: (LocalMoment & { after: string }) | null
  /** The app's time zone, in which the filter `date` shows times to users without one. Audience adds it from the app's settings at the first page. */
  defaultTimezone?: string
}

export type { Recipient } from './recipient.ts'

export type SendExperiment = { sampleRate: number; variants: { id: string; weight: number; content: Content }[] }

/** The APNs environment of an answer or a circuit. It is empty for Android and the web, which have one environment only. */
export const environments = ['', 'production', 'sandbox'] as const
export type CircuitEnvironment = (typeof environments)[number]

/**
 * A push whose outcome audience has decided, for example because its device was deleted or its send cancelled. The dispatcher that takes the batch
 * does not send the push, and reports the outcome to the tracker.
 */
export type Decided = {
  /** The place of the push in its batch, as in `Recipient`. */
  place: number
  subscriptionId: string
  userId: string
  tokenVersion: number
  attempts: number
} & ({ outcome: 'skipped'; code: SkipReason; providerCode?: string } | { outcome: 'failed'; code: FailureCode; providerCode?: string })

/**
 * A batch leased to a waiting dispatcher in the transaction that made it. `takes`: how often it has been taken, this take included; a finish or
 * renewal with a lower number is refused. `size`: its number of pushes.
 */
export type GivenBatch = {
  batchId: string
  campaignId: string
  appId: string
  platform: Platform
  lane: Lane
  takes: number
  size: number
} & {
  /** The batch as a take reads it, read when it was given. Without it the dispatcher takes the batch. */
  content?: TakeAnswer
}

/**
 * The answer to a take. `gone`: done or unknown. `busy`: another dispatcher's lease. `held`: not due, circuit open or send paused. After these three
 * the dispatcher acks the pointer; where needed, the sweep points again.
 */
export type TakeAnswer = { answer: 'gone' | 'busy' | 'held' } | TakenBatch
export type TakenBatch = {
  answer: 'taken'
  batchId: string
  campaignId: string
  appId: string
  platform: Platform
  lane: Lane
  day: string
  /** The number that the batch of these pushes had when they were queued, counted within the campaign. */
  no: number
  /**
   * How many times the batch has been taken, this take included. The dispatcher sends this number with each finish and renewal; to the number of
   * an earlier take audience answers `lost`.
   */
  takes: number
  /**
   * How many attempts each of these pushes has had before this take. Only attempts that count are in it (`maxTries`). An attempt that was cut off
   * because its dispatcher was killed does not count.
   */
  tries: number
  /** The provider's answers to the earlier attempts; absent when none is known. */
  trail?: Attempt[] | undefined
  /** ISO timestamp from which the ttl counts. */
  queuedAt: string
  /** How many milliseconds of the ttl were used up when the batch was taken, by the database's clock. */
  elapsedMs: number
  send: FrozenSend | null
  recipients: RecipientColumns
  decided: Decided[]
  /**
   * True when this take is the probe of an open circuit: the dispatcher sends to the first recipient only and gives the others back as retries.
   * False with ttl 0: its pushes have one attempt, so all are sent.
   */
  probe: boolean
  /**
   * iOS only: the APNs environments whose circuit is open although the batch could be taken. The dispatcher gives the recipients there back as
   * retries that are due in `inMs` milliseconds.
   */
  heldEnvironments: { environment: CircuitEnvironment; inMs: number }[]
  /**
   * True when the batch has further recipients. The dispatcher then asks again, with `from` set to the number of recipients that it has so far.
   */
  more: boolean
}

/** The place of a push in its batch, as the answer to the take gave it. */
const Place = z
  .number()
  .int()
  .min(0)
  .max(mostPlaces - 1)

/**
 * A duration. Instants are not sent between processes, because audience compares times with the database's clock, and a dispatcher's clock may be
 * minutes off.
 */
const Milliseconds = z.number().int().min(0).max(86_400_000)

/**
 * Shortens the letters of providers' answers for a message: a row of equal letters becomes one letter and their number. 500 times `s` become `s500`.
 */
export const shortenAnswers = (letters: string): string => letters.replaceAll(/(.)\1+/g, (run) => `${run.charAt(0)}${run.length}`)
/** Undoes `shortenAnswers`: gives one letter for each answer. */
export const spellAnswers = (seen: string): string =>
  seen.replaceAll(/([a-z])(\d+)/g, (_run, letter: string, count: string) => letter.repeat(Number(count)))
const countAnswers = (seen: string): number => seen.match(/[a-z]\d*/g)?.reduce((sum, run) => sum + Number(run.slice(1) || 1), 0) ?? 0

/**
 * What a refused device says to its circuit. `g`: a dead token or wrong settings. `t`: the same, and the credentials are good. `w`: the device
 * belongs to other credentials, or ours are wrong.
 */
export const refusedLetters = ['g', 't', 'w'] as const
export type RefusedLetter = (typeof refusedLetters)[number]

/** The host of an endpoint, which the devices of a push service have in common; empty on other platforms. It is part of addresses: never logged. */
const Host = z.string().max(300)

/**
 * The rate that credentials share (spec: providers/quota). `scope` names the credentials, for example by a hash of the FCM project. `most`: pushes a
 * second while the provider asks for no slowing down; null for any number.
 */
export const ProviderRate = z.object({
  scope: z.string().min(1).max(300),
  platform: z.enum(platforms),
  most: z.number().positive().nullable(),
})
export type ProviderRate = z.infer<typeof ProviderRate>

export const FinishBatch = z.object({
  batchId: Id,
  appId: Id,
  takes: z.number().int(),
  /** iOS: the APNs environment that accepted a token, when it is not the environment that was asked first. */
  environments: z.array(z.object({ subscriptionId: Id, environment: z.enum(['production', 'sandbox']) })).max(batchSize),
  /**
   * Devices that are in none of the lists below and whose push was not accepted by the provider. A device of the batch that is neither here nor in
   * one of those lists was sent to.
   */
  unsent: z.array(Id).max(batchSize),
  /**
   * Tokens that the provider does not know any more. The push was handed over `agoMs` before this call. A device that has registered again since
   * then, or after `deadSince` (ISO, the provider's clock), stays valid.
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
   * Pushes that the provider refused, perhaps for a wrong configuration (the mass guard), and the dispatcher does not report. Audience makes them
   * `Decided` or retries. `tries` includes this attempt. `agoMs`: since the hand-over.
   */
  guarded: z
    .array(
      z.object({
        place: Place,
        subscriptionId: Id,
        userId: Id,
        tokenVersion: z.number().int(),
        tries: z.number().int(),
        environment: z.enum(environments),
        host: Host,
        letter: z.enum(refusedLetters),
        /** When the push may be tried again although its circuit is closed; null when it has no attempt left or must not be repeated. */
        retryInMs: Milliseconds.nullable(),
        agoMs: Milliseconds,
        code: z.enum(failureCodes),
        providerCode: z.string().max(200),
      }),
    )
    .max(batchSize),
  /**
   * The devices behind the letters `g`, `t` and `w` of `answers`, in the order of these letters, with those whose push had a ttl of 0: the circuit
   * counts devices and not answers.
   */
  refused: z
    .array(z.object({ environment: z.enum(environments), host: Host, letter: z.enum(refusedLetters), subscriptionId: Id }))
    .max(2 * batchSize),
  /**
   * For each environment and host, a device that accepted. A dispatcher names one about once a minute, and in each finish that has refused devices.
   */
  accepted: z.array(z.object({ environment: z.enum(environments), host: Host, subscriptionId: Id })).max(batchSize),
  /**
   * Pushes whose provider was away, which the dispatcher does not report. With an open circuit they wait for the probe, uncounted. Otherwise they
   * come back in `retryInMs`; null: attempts or ttl are used up. `tries` includes this attempt.
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
        /** How many milliseconds ago the provider's answer came. */
        agoMs: Milliseconds.optional(),
        code: z.enum(failureCodes),
        providerCode: z.string().max(200),
      }),
    )
    .max(batchSize),
  /**
   * What answers say about the circuit, in order. `s`: sent. `g`, `t`, `w`: `RefusedLetter`. `c`: wrong credentials. `u`: unavailable. `p`: only this
   * message or token refused. `a`: other. `p` and `a` only beside `u` or in probes.
   */
  answers: z
    .array(
      // Batches of web pushes have `u` and `a` never, and `p` only in a probe: each push service may be away alone, and the dispatcher deals with that.
      z.object({
        environment: z.enum(environments),
        seen: z
          .string()
          .max(2 * batchSize)
          .regex(/^([sgtwcupa]\d{0,4})*$/)
          .refine((seen) => countAnswers(seen) <= 2 * batchSize),
        code: z.enum(failureCodes).nullable(),
      }),
    )
    .max(3),
  /**
   * What the answers say about the credentials' rate: pushes accepted, pushes refused because of a quota, and how long ago the batch was taken.
   * Absent when nothing limits the credentials and nothing was refused.
   */
  rate: ProviderRate.extend({
    accepted: z.number().int().min(0),
    refused: z.number().int().min(0),
    answered: z.number().int().min(0),
    takenAgoMs: Milliseconds,
    /** The batch's size, when it came with its content, so that no take has counted it. */
    taken: z.number().int().min(0).optional(),
  }).optional(),
  /** Set when the send went to tokens of Live Activities: the dead ones are these, and no device is invalidated. */
  activity: z.object({ starts: z.boolean(), name: z.string().max(64) }).optional(),
  /** True when the send is a test; its announcements then say so. */
  test: z.literal(true).optional(),
  /** The version of the credentials that were used; null when there were none. */
  credentialsVersion: z.number().int().nullable(),
  /**
   * Pushes to be tried again in `retryInMs`, after `tries` attempts. `code` and `providerCode` say why; they are null and empty when no attempt was
   * made.
   */
  retries: z
    .array(
      z.object({
        place: Place,
        subscriptionId: Id,
        userId: Id,
        tries: z.number().int(),
        retryInMs: Milliseconds,
        /** How many milliseconds ago the provider's answer came. */
        agoMs: Milliseconds.optional(),
        code: z.enum(failureCodes).nullable(),
        providerCode: z.string().max(200),
      }),
    )
    .max(batchSize),
})
export type FinishBatch = z.infer<typeof FinishBatch>
/** Tokens of Live Activities that a provider called dead. */
export type DeadTokens = ActivityTokens & { dead: Pick<FinishBatch['dead'][number], 'subscriptionId' | 'tokenVersion'>[] }

/** Gives the subject on which the pointer of a batch is published. */
export const batchSubject = (platform: Platform, lane: Lane): string => `work.push.${platform}.${lane}`
export const everyLane = platforms.flatMap((platform) => lanes.map((lane) => ({ platform, lane })))
