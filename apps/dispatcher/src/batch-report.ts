import {
  shortenAnswers,
  type CircuitEnvironment,
  type Decided,
  type FinishBatch,
  type Recipient,
  type TakenBatch,
} from '@herald/contracts/batch'
import type { End, FailureCode } from '@herald/contracts/outcome'
import type { Complain } from './complain.ts'
import { isDeadCode } from './core/provider-answers.ts'
import type { Became, Measures } from './measures.ts'
import type { OutcomeOwner, Recorder } from './record-outcomes.ts'
import type { Heard, Settlement } from './send-push.ts'

/** What finish-batch is told of the pushes. */
type Result = Pick<FinishBatch, 'environments' | 'unsent' | 'dead' | 'guarded' | 'unavailable' | 'answers' | 'retries'>

/** What came of a batch: outcomes go to the tracker as they come, the rest is kept for finish-batch. */
export type Report = {
  /** Takes a push's end: resolves when its outcome is committed, or at once for one that has none yet. */
  settle(recipient: Recipient, settlement: Settlement): Promise<void>
  /** A push that was decided without a try. */
  decided(decided: Decided): void
  /** A push that an earlier take settled and did not live to tell: what finish-batch makes of it is told again. */
  settledBefore(
    push: Pick<Recipient, 'subscriptionId' | 'userId'>,
    settled: Pick<End, 'outcome' | 'code' | 'tokenVersion'> & { at: string },
  ): void
  /** It comes back without a try. */
  retry(recipient: Recipient, tries: number, inMs: number): void
  /** `committed` waits for this too. */
  follow(push: Promise<void>): void
  /** Resolves when every outcome of the batch is committed, or given up because the tracker refuses it for good. */
  committed(): Promise<void>
  /** For finish-batch. What it says of time counts from now. */
  result(): Result
  /** For the log: how many, and why those that were not sent were not, by what became of them, code and the provider's word. */
  counts(): Record<Became, number> & { reasons?: Record<string, number> }
}

/** Opens the report of a taken batch. `variantFor`: the experiment's variant that a user gets. */
export function openReport(
  { recorder, measures, complain }: { recorder: Recorder; measures: Measures; complain: Complain },
  { appId, campaignId, day, platform, no, probe }: TakenBatch & { answer: 'taken' },
  variantFor: (userId: string) => string,
): Report {
  const owner: OutcomeOwner = { appId, campaignId, day, platform, no }
  const environments: Result['environments'] = []
  const unsent: Result['unsent'] = []
  // Moments of this process's steady clock, which finish-batch is told as durations.
  const dead: (Omit<Result['dead'][number], 'agoMs'> & { askedAt: number })[] = []
  const guarded: (Omit<Result['guarded'][number], 'agoMs'> & { askedAt: number })[] = []
  const unavailable: (Omit<Result['unavailable'][number], 'retryInMs'> & { readyAt: number | null })[] = []
  const retries: (Omit<Result['retries'][number], 'retryInMs'> & { readyAt: number })[] = []
  const answers = new Map<CircuitEnvironment, Pick<Result['answers'][number], 'seen' | 'code'> & { gravest: number }>()
  const counted: Record<Became, number> = { sent: 0, failed: 0, skipped: 0, retried: 0, guarded: 0 }
  const reasons = new Map<string, number>()
  const following: Promise<void>[] = []

  const because = (became: Became, code: string, providerCode: string) => {
    const reason = `${became} ${code} ${providerCode}`.trim()
    const known = reasons.has(reason) || reasons.size < mostReasons ? reason : 'others'
    reasons.set(known, (reasons.get(known) ?? 0) + 1)
  }
  const complainOf = (became: Became, code: FailureCode, word: string) => {
    // Every size would be a kind of its own.
    const providerCode = code === 'payload_too_large' ? '' : word
    because(became, code, providerCode)
    complain({ appId, campaignId, platform, code, providerCode })
  }
  const record = ({ place, userId }: Pick<Recipient, 'place' | 'userId'>, end: Omit<End, 'variant'>): Promise<void> => {
    counted[end.outcome] += 1
    measures.became(platform, end.outcome, end.code)
    const committed = recorder.record(owner, { ...end, variant: variantFor(userId), place })
    following.push(committed)
    return committed
  }
  const retry = (
    { place, subscriptionId, userId }: Recipient,
    tries: number,
    inMs: number,
    code: FailureCode | null = null,
    providerCode = '',
  ) => {
    counted.retried += 1
    retries.push({ place, subscriptionId, userId, tries, readyAt: performance.now() + inMs, code, providerCode })
  }
  /** What says for sure that our credentials are wrong gives the code, then what says that they may be, then that nobody was there. */
  const hear = ({ environment, letter, code }: Heard) => {
    const known = answers.get(environment) ?? { seen: '', code: null, gravest: -1 }
    const rank = gravity.indexOf(letter)
    const isGraver = rank > known.gravest
    const gravest = Math.max(rank, known.gravest)
    answers.set(environment, { seen: known.seen + letter, code: isGraver ? code : (known.code ?? code), gravest })
  }

  return {
    settle(recipient, settlement) {
      if (settlement.heard) hear(settlement.heard)
      const { place, subscriptionId, userId, tokenVersion } = recipient
      const { tries } = settlement
      const push = { tokenVersion, attempts: tries }
      switch (settlement.is) {
        case 'sent':
          if (settlement.environment) environments.push({ subscriptionId, environment: settlement.environment })
          return record(recipient, { ...push, outcome: 'sent', code: '', providerCode: settlement.providerCode })
        case 'failed': {
          const { code, providerCode } = settlement
          complainOf('failed', code, providerCode)
          if (settlement.dead) {
            const { handedOverAt: askedAt, since: deadSince } = settlement.dead
            dead.push({ subscriptionId, userId, tokenVersion, askedAt, deadSince, code })
          } else unsent.push(subscriptionId)
          return record(recipient, { ...push, outcome: 'failed', code, providerCode })
        }
        case 'skipped':
          because('skipped', settlement.code, '')
          unsent.push(subscriptionId)
          return record(recipient, { ...push, outcome: 'skipped', code: settlement.code, providerCode: '' })
        case 'retry': {
          const { code, providerCode } = settlement
          measures.became(platform, 'retried', code)
          complainOf('retried', code, providerCode)
          retry(recipient, tries, settlement.inMs, code, providerCode)
          return Promise.resolve()
        }
        case 'unavailable': {
          const { environment, code, providerCode, inMs } = settlement
          counted.retried += 1
          measures.became(platform, 'retried', code)
          complainOf('retried', code, providerCode)
          const readyAt = inMs === null ? null : performance.now() + inMs
          unavailable.push({ place, subscriptionId, userId, tokenVersion, environment, tries, readyAt, code, providerCode })
          return Promise.resolve()
        }
        case 'guarded': {
          const { handedOverAt: askedAt, code, providerCode } = settlement
          counted.guarded += 1
          measures.became(platform, 'guarded', code)
          complainOf('guarded', code, providerCode)
          guarded.push({ place, subscriptionId, userId, tokenVersion, tries, askedAt, code, providerCode })
          return Promise.resolve()
        }
      }
    },

    decided({ outcome, code, providerCode = '', attempts, tokenVersion, ...push }) {
      because(outcome, code, providerCode)
      unsent.push(push.subscriptionId)
      void record(push, { outcome, code, providerCode, attempts, tokenVersion })
    },

    settledBefore({ subscriptionId, userId }, { outcome, code, tokenVersion, at }) {
      if (outcome === 'sent') return
      // `at` is the tracker's database's; who was asked before is asked for by that alone.
      if (outcome === 'failed' && isDeadCode(platform, code)) {
        dead.push({ subscriptionId, userId, tokenVersion, askedAt: performance.now(), deadSince: at, code })
      } else unsent.push(subscriptionId)
    },

    retry: (recipient, tries, inMs) => retry(recipient, tries, inMs),
    follow: (push) => void following.push(push),
    async committed() {
      await Promise.all(following)
      await recorder.settled(owner)
    },
    result() {
      const now = performance.now()
      const ago = (at: number) => Math.ceil(now - at)
      const ahead = (at: number) => Math.max(0, Math.ceil(at - now))
      return {
        environments,
        unsent,
        dead: dead.map(({ askedAt, ...one }) => ({ ...one, agoMs: ago(askedAt) })),
        guarded: guarded.map(({ askedAt, ...one }) => ({ ...one, agoMs: ago(askedAt) })),
        unavailable: unavailable.map(({ readyAt, ...one }) => ({ ...one, retryInMs: readyAt === null ? null : ahead(readyAt) })),
        retries: retries.map(({ readyAt, ...one }) => ({ ...one, retryInMs: ahead(readyAt) })),
        answers: [...answers].flatMap(([environment, { seen: all, code }]) => {
          const seen = probe || all.includes('u') ? all : all.replaceAll('a', '')
          return seen === '' ? [] : [{ environment, seen: shortenAnswers(seen), code }]
        }),
      }
    },
    counts: () => ({ ...counted, ...(reasons.size > 0 ? { reasons: Object.fromEntries(reasons) } : {}) }),
  }
}

/** Kinds of reasons that a line holds; the rest are counted as `others`. */
const mostReasons = 8

/** From what says nothing to what says most of the way to the provider. */
const gravity = 'sauwgc'
