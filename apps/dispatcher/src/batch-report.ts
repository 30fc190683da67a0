import {
  shortenAnswers,
  type CircuitEnvironment,
  type Decided,
  type FinishBatch,
  type Recipient,
  type RefusedLetter,
  type ProviderRate,
  type TakenBatch,
} from '@herald/contracts/batch'
import { renewBatch } from '@herald/contracts/calls/audience'
import { mostAttemptsBefore, type End, type FailureCode } from '@herald/contracts/outcome'
import { isDeadCode, type Letter } from './core/answer-meaning.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Became } from './measures.ts'
import type { Committed } from './record-outcomes.ts'
import type { Heard, AttemptResult } from './send-push.ts'

type Result = Pick<
  FinishBatch,
  'environments' | 'unsent' | 'dead' | 'guarded' | 'refused' | 'accepted' | 'unavailable' | 'answers' | 'retries' | 'rate'
>

/** Collects what becomes of the pushes of one batch. Outcomes go to the tracker as they come; everything else waits for finish-batch. */
export type Report = {
  /** Notes that a push is being made. `committed()` then waits until `ended` is called for the push. */
  begun(): void
  /** Notes that `committed()` need not wait any longer for this many of the begun pushes. */
  ended: Committed
  /**
   * Notes the result of an attempt at `host` (empty where all devices of a platform go to one host). Calls `committed` when the outcome is committed, or
   * at once for a push that has no outcome yet.
   */
  note(recipient: Recipient, result: AttemptResult, committed: Committed, host?: string): void
  /** Notes the first device of a host whose push was accepted. */
  accepted(device: FinishBatch['accepted'][number]): void
  /** Notes a push that is not sent, because audience has decided its outcome. */
  decided(decided: Decided): void
  /**
   * Notes a push that ended in an earlier take, whose finish never reached audience: this take's finish names the push too, unless it was sent,
   * and says whether its token is dead.
   */
  endedBefore(
    push: Pick<Recipient, 'subscriptionId' | 'userId'>,
    settled: Pick<End, 'outcome' | 'code' | 'tokenVersion'> & { at: string },
  ): void
  /** Notes a push that was not handed over: audience queues it again, to be sent in `inMs`. */
  retry(recipient: Recipient, tries: number, inMs: number): void
  /** Resolves when every outcome of the batch is committed, or is given up because the tracker refuses it for good. */
  committed(): Promise<void>
  /** Gives the fields of finish-batch that speak of the pushes. The durations in them count from this call. */
  result(): Result
  /**
   * Gives for the log how many pushes were sent, failed and so on. `reasons` counts only pushes that have a code. Its keys consist of what became of
   * the push, the code and the provider's word.
   */
  counts(): Record<Became, number> & { reasons?: Record<string, number> }
}

/** Opens the report of a taken batch. `test` is set for the batch of a test. `variantFor` gives the variant that a user gets in an experiment. */
export function openReport(
  { bus, recorder, measures, complain, providers, acceptedLately }: Dispatcher,
  {
    batchId,
    takes,
    appId,
    campaignId,
    day,
    platform,
    no,
    probe,
    trail,
    test,
    credentialsVersion,
    rate,
    takenAt,
    uncounted,
  }: TakenBatch & {
    test?: true | undefined
    credentialsVersion: number | null
    rate: ProviderRate | null
    takenAt: number
    uncounted: number
  },
  variantFor: (userId: string) => string,
): Report {
  const outcomes = recorder.open(
    {
      appId,
      campaignId,
      day,
      platform,
      no,
      ...(trail && { trail: trail.slice(-mostAttemptsBefore) }),
      ...(test && { test }),
    },
    async () => (await bus.call(renewBatch, { batchId, appId, takes, unknown: { campaignId, no } })).held,
  )
  const environments: Result['environments'] = []
  const unsent: Result['unsent'] = []
  // These lists hold instants of this process's monotonic clock. Finish-batch gets durations, because audience has another clock.
  const dead: (Omit<Result['dead'][number], 'agoMs'> & { askedAt: number })[] = []
  const guarded: (Omit<Result['guarded'][number], 'agoMs' | 'retryInMs'> & { askedAt: number; readyAt: number | null })[] = []
  const unavailable: (Omit<Result['unavailable'][number], 'retryInMs' | 'agoMs'> & { readyAt: number | null; heardAt: number })[] = []
  const retries: (Omit<Result['retries'][number], 'retryInMs' | 'agoMs'> & { readyAt: number; heardAt: number })[] = []
  const answers = new Map<CircuitEnvironment, Answers>()
  const refused: Result['refused'] = []
  const accepted: Result['accepted'] = []
  /** The accepted devices that the finish names, decided once: a finish is made anew for each call. */
  let told: Result['accepted'] | undefined
  const counted: Record<Became, number> = { sent: 0, failed: 0, skipped: 0, retried: 0, guarded: 0 }
  const reasons = new Map<string, number>()
  let [answered, quotaRefused] = [0, 0]
  /** How many pushes `committed()` still waits for. */
  let open = 0
  let whenNone: (() => void) | undefined

  /** Says whether audience has not heard for a minute that the credentials are accepted at this place, and remembers that it hears it now. */
  const isAcceptedNews = (place: string): boolean => {
    const name = `${appId} ${platform} ${credentialsVersion} ${place}`
    if (acceptedLately.has(name)) return false
    acceptedLately.set(name, true)
    return true
  }
  const because = (became: Became, code: string, providerCode: string) => {
    const reason = `${became} ${code} ${providerCode}`.trim()
    const known = reasons.has(reason) || reasons.size < mostReasons ? reason : 'others'
    reasons.set(known, (reasons.get(known) ?? 0) + 1)
  }
  const complainOf = (became: Became, code: FailureCode, word: string) => {
    // For `payload_too_large` the word is the size of the payload, and every size would count as a reason of its own.
    const providerCode = code === 'payload_too_large' ? '' : word
    because(became, code, providerCode)
    complain({ appId, campaignId, platform, code, providerCode })
  }
  const ended: Committed = (pushes) => {
    open -= pushes
    if (open === 0) whenNone?.()
  }
  const record = (
    { place, userId }: Pick<Recipient, 'place' | 'userId'>,
    { tokenVersion, attempts, outcome, code, providerCode }: Omit<End, 'variant'>,
    committed: Committed,
  ): void => {
    counted[outcome] += 1
    measures.became(platform, outcome, code)
    outcomes.record({ outcome, code, providerCode, variant: variantFor(userId), attempts, tokenVersion }, place, committed)
  }
  const retry = (
    { place, subscriptionId, userId }: Recipient,
    tries: number,
    inMs: number,
    code: FailureCode | null = null,
    providerCode = '',
  ) => {
    counted.retried += 1
    const heardAt = performance.now()
    retries.push({ place, subscriptionId, userId, tries, readyAt: heardAt + inMs, heardAt, code, providerCode })
  }
  /** Notes an answer for the circuit of its environment. Audience gets the code of the gravest answer, by the order in `gravity`. */
  const hear = ({ environment, letter, code }: Heard) => {
    let known = answers.get(environment)
    if (!known) answers.set(environment, (known = { runs: [], code: null, gravest: -1 }))
    const last = known.runs.at(-1)
    if (last?.letter === letter) last.count += 1
    else known.runs.push({ letter, count: 1 })
    const rank = gravity.indexOf(letter)
    known.code = rank > known.gravest ? code : (known.code ?? code)
    known.gravest = Math.max(rank, known.gravest)
  }

  return {
    begun: () => void (open += 1),
    ended,
    accepted: (device) => void accepted.push(device),
    note(recipient, result, committed, host = '') {
      const { place, subscriptionId, userId, tokenVersion } = recipient
      const { heard } = result
      answered += 1
      if (result.isQuota) quotaRefused += 1
      if (heard) hear(heard)
      if (heard && isRefusal(heard.letter)) refused.push({ environment: heard.environment, host, letter: heard.letter, subscriptionId })
      const { tries } = result
      const push = { tokenVersion, attempts: tries }
      switch (result.is) {
        case 'sent':
          if (result.environment) environments.push({ subscriptionId, environment: result.environment })
          return record(recipient, { ...push, outcome: 'sent', code: '', providerCode: result.providerCode }, committed)
        case 'failed': {
          const { code, providerCode } = result
          complainOf('failed', code, providerCode)
          if (result.dead) {
            const { handedOverAt: askedAt, since: deadSince } = result.dead
            dead.push({ subscriptionId, userId, tokenVersion, askedAt, deadSince, code })
          } else unsent.push(subscriptionId)
          return record(recipient, { ...push, outcome: 'failed', code, providerCode }, committed)
        }
        case 'skipped':
          because('skipped', result.code, '')
          unsent.push(subscriptionId)
          return record(recipient, { ...push, outcome: 'skipped', code: result.code, providerCode: '' }, committed)
        case 'retry': {
          const { code, providerCode } = result
          measures.became(platform, 'retried', code)
          complainOf('retried', code, providerCode)
          retry(recipient, tries, result.inMs, code, providerCode)
          return committed(1)
        }
        case 'unavailable': {
          const { environment, code, providerCode, inMs } = result
          counted.retried += 1
          measures.became(platform, 'retried', code)
          complainOf('retried', code, providerCode)
          const heardAt = performance.now()
          const readyAt = inMs === null ? null : heardAt + inMs
          unavailable.push({ place, subscriptionId, userId, tokenVersion, environment, tries, readyAt, heardAt, code, providerCode })
          return committed(1)
        }
        case 'guarded': {
          const { handedOverAt: askedAt, code, providerCode, letter, inMs } = result
          const environment = heard?.environment ?? ''
          counted.guarded += 1
          measures.became(platform, 'guarded', code)
          complainOf('guarded', code, providerCode)
          const again = { readyAt: inMs === null ? null : performance.now() + inMs }
          guarded.push({
            place,
            subscriptionId,
            userId,
            tokenVersion,
            environment,
            host,
            letter,
            tries,
            askedAt,
            code,
            providerCode,
            ...again,
          })
          return committed(1)
        }
      }
    },

    decided({ outcome, code, providerCode = '', attempts, tokenVersion, ...push }) {
      because(outcome, code, providerCode)
      unsent.push(push.subscriptionId)
      open += 1
      record(push, { outcome, code, providerCode, attempts, tokenVersion }, ended)
    },

    endedBefore({ subscriptionId, userId }, { outcome, code, tokenVersion, at }) {
      if (outcome === 'sent') return
      // This process does not know when the earlier dispatcher asked the provider. So `at`, an instant of the tracker's database, decides alone: a
      // device that registered after `at` is alive.
      if (outcome === 'failed' && isDeadCode(providers[platform].answers, code)) {
        dead.push({ subscriptionId, userId, tokenVersion, askedAt: performance.now(), deadSince: at, code })
      } else unsent.push(subscriptionId)
    },

    retry: (recipient, tries, inMs) => retry(recipient, tries, inMs),
    async committed() {
      if (open > 0) await new Promise<void>((resolve) => (whenNone = resolve))
      await outcomes.settled()
    },
    result() {
      const now = performance.now()
      const ago = (at: number) => Math.ceil(now - at)
      const ahead = (at: number) => Math.max(0, Math.ceil(at - now))
      return {
        environments,
        unsent,
        dead: dead.map(({ askedAt, ...one }) => ({ ...one, agoMs: ago(askedAt) })),
        guarded: guarded.map(({ askedAt, readyAt, ...one }) => ({
          ...one,
          agoMs: ago(askedAt),
          retryInMs: readyAt === null ? null : ahead(readyAt),
        })),
        ...(rate && {
          rate: {
            ...rate,
            ...{ accepted: counted.sent, refused: quotaRefused, answered, takenAgoMs: ago(takenAt) },
            ...(uncounted > 0 && { taken: uncounted }),
          },
        }),
        refused,
        accepted: (told ??= accepted.filter(({ environment, host }) => isAcceptedNews(`${environment} ${host}`) || refused.length > 0)),
        unavailable: unavailable.map(({ readyAt, heardAt, ...one }) => ({
          ...one,
          retryInMs: readyAt === null ? null : ahead(readyAt),
          agoMs: ago(heardAt),
        })),
        retries: retries.map(({ readyAt, heardAt, ...one }) => ({
          ...one,
          retryInMs: ahead(readyAt),
          // A push that was not handed over has no answer, so it has no time since the answer either.
          ...(one.code === null ? {} : { agoMs: ago(heardAt) }),
        })),
        answers: [...answers].flatMap(([environment, { runs, code }]) => {
          const all = runs.map(({ letter, count }) => letter.repeat(count)).join('')
          const seen = probe || all.includes('u') ? all : all.replaceAll(/[ap]/g, '')
          return seen === '' ? [] : [{ environment, seen: shortenAnswers(seen), code }]
        }),
      }
    },
    counts: () => ({ ...counted, ...(reasons.size > 0 ? { reasons: Object.fromEntries(reasons) } : {}) }),
  }
}

/**
 * One environment's answers. `runs`: their letters in order of arrival, equal letters in a row as one entry. `code`: that of the gravest answer;
 * `gravest`: the place of its letter in `gravity`.
 */
type Answers = { runs: { letter: Letter; count: number }[]; code: FailureCode | null; gravest: number }

/** The log line of a batch names at most this many reasons. All further ones are counted as `others`. */
const mostReasons = 8

/** The letters of answers, from the one that says least about the circuit to the one that says most. */
const gravity = 'sapuwtgc'

const isRefusal = (letter: Letter): letter is RefusedLetter => letter === 'g' || letter === 't' || letter === 'w'
