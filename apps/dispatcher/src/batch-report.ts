import type { CircuitEnvironment, Decided, FinishBatch, Recipient, TakenBatch } from '@herald/contracts/batch'
import type { Outcome, OutcomeKind } from '@herald/contracts/outcome'
import { isDeadCode } from './core/provider-answers.ts'
import type { Became, Measures } from './measures.ts'
import type { OutcomeOwner, Recorder } from './record-outcomes.ts'
import type { Heard, Settlement } from './send-push.ts'

/** What finish-batch is told of the pushes. */
type Result = Pick<FinishBatch, 'sent' | 'dead' | 'guarded' | 'answers' | 'retries'>

/** What came of a batch: outcomes go to the tracker as they come, the rest is kept for finish-batch. */
export type Report = {
  /** Takes a push's end: resolves when its outcome is committed, or at once for one that has none yet. */
  settle(recipient: Recipient, settlement: Settlement): Promise<void>
  /** A push that was decided without a try. */
  decided(decided: Decided): void
  /** A push that an earlier take settled and did not live to tell: what finish-batch makes of it is told again. */
  settledBefore(recipient: Recipient, settled: { outcome: OutcomeKind; code: string; tokenVersion: number; at: string }): void
  retry(recipient: Recipient, tries: number, at: Date): void
  /** `committed` waits for this too. */
  follow(push: Promise<void>): void
  /** Resolves when every outcome of the batch is committed, or given up because the tracker refuses it for good. */
  committed(): Promise<void>
  result(): Result
  /** For the log. */
  counts(): Record<Became, number>
}

/** Opens the report of a taken batch. `variantFor`: the experiment's variant that a user gets. */
export function openReport(
  { recorder, measures }: { recorder: Recorder; measures: Measures },
  { appId, campaignId, day, platform }: TakenBatch & { answer: 'taken' },
  variantFor: (userId: string) => string,
): Report {
  const owner: OutcomeOwner = { appId, campaignId, day, platform }
  const result: Omit<Result, 'answers'> = { sent: [], dead: [], guarded: [], retries: [] }
  const answers = new Map<CircuitEnvironment, Result['answers'][number]>()
  const counted: Record<Became, number> = { sent: 0, failed: 0, skipped: 0, retried: 0, guarded: 0 }
  const following: Promise<void>[] = []

  const record = (outcome: Omit<Outcome, 'variant'>): Promise<void> => {
    counted[outcome.outcome] += 1
    measures.became(platform, outcome.outcome, outcome.code)
    const committed = recorder.record(owner, { ...outcome, variant: variantFor(outcome.userId) })
    following.push(committed)
    return committed
  }
  const retry = ({ subscriptionId, userId }: Recipient, tries: number, at: Date) => {
    counted.retried += 1
    result.retries.push({ subscriptionId, userId, tries, retryAt: at.toISOString() })
  }
  /** What says for sure that our credentials are wrong gives the code, else the first that says that something is. */
  const hear = ({ environment, letter, code }: Heard) => {
    const known = answers.get(environment) ?? { environment, seen: '', code: null }
    const isGraver = letter === 'c' && !known.seen.includes('c')
    answers.set(environment, { environment, seen: known.seen + letter, code: isGraver ? code : (known.code ?? code) })
  }

  return {
    settle(recipient, settlement) {
      if (settlement.heard) hear(settlement.heard)
      const { subscriptionId, userId, tokenVersion } = recipient
      const push = { subscriptionId, userId, tokenVersion, attempts: settlement.tries }
      switch (settlement.is) {
        case 'sent':
          result.sent.push({ subscriptionId, environment: settlement.environment })
          return record({ ...push, outcome: 'sent', code: '', providerCode: settlement.providerCode })
        case 'failed': {
          const { code, providerCode, deadSince } = settlement
          if (deadSince !== null) result.dead.push({ subscriptionId, userId, tokenVersion, since: deadSince, code })
          return record({ ...push, outcome: 'failed', code, providerCode })
        }
        case 'skipped':
          return record({ ...push, outcome: 'skipped', code: settlement.code, providerCode: '' })
        case 'retry':
          measures.became(platform, 'retried', settlement.code)
          retry(recipient, settlement.tries, settlement.retryAt)
          return Promise.resolve()
        case 'guarded': {
          const { tries, since, code, providerCode } = settlement
          counted.guarded += 1
          measures.became(platform, 'guarded', code)
          result.guarded.push({ subscriptionId, userId, tokenVersion, tries, since, code, providerCode })
          return Promise.resolve()
        }
      }
    },

    decided: ({ providerCode = '', ...decided }) => void record({ ...decided, providerCode }),

    settledBefore({ subscriptionId, userId }, { outcome, code, tokenVersion, at }) {
      if (outcome === 'sent') result.sent.push({ subscriptionId, environment: null })
      if (outcome === 'failed' && isDeadCode(platform, code)) result.dead.push({ subscriptionId, userId, tokenVersion, since: at, code })
    },

    retry,
    follow: (push) => void following.push(push),
    async committed() {
      await Promise.all(following)
      await recorder.settled(owner)
    },
    result: () => ({ ...result, answers: [...answers.values()] }),
    counts: () => counted,
  }
}
