import type { Decided, FinishBatch, Recipient, TakenBatch } from '@herald/contracts/batch'
import type { Outcome, OutcomeKind } from '@herald/contracts/outcome'
import type { Platform } from '@herald/contracts/platform'
import { isDeadCode } from './core/provider-answers.ts'
import type { OutcomeOwner, Recorder } from './record-outcomes.ts'
import type { Settlement } from './send-push.ts'

/** What came of a batch: outcomes go to the tracker as they come, the rest is kept for finish-batch. */
export type Report = {
  /** Takes a push's end: resolves when its outcome is committed, or at once for one to be tried again. */
  settle(recipient: Recipient, settlement: Settlement): Promise<void>
  /** A push that was decided without a try. */
  decided(decided: Decided): void
  /** A push that an earlier take settled and did not live to tell: what finish-batch makes of it is told again. */
  settledBefore(
    recipient: Recipient,
    settled: { outcome: OutcomeKind; code: string; tokenVersion: number; at: string },
    platform: Platform,
  ): void
  retry(recipient: Recipient, tries: number, at: Date): void
  /** `committed` waits for this too. */
  follow(push: Promise<void>): void
  /** Resolves when every outcome of the batch is committed. */
  committed(): Promise<void>
  result(): Pick<FinishBatch, 'sent' | 'dead' | 'retries'>
  /** For the log. */
  counts(): { sent: number; failed: number; skipped: number; retried: number }
}

export function openReport(recorder: Recorder, { appId, campaignId, day, platform }: TakenBatch & { answer: 'taken' }): Report {
  const owner: OutcomeOwner = { appId, campaignId, day, platform }
  const result: Pick<FinishBatch, 'sent' | 'dead' | 'retries'> = { sent: [], dead: [], retries: [] }
  const counted = { sent: 0, failed: 0, skipped: 0 }
  const following: Promise<void>[] = []

  const record = (outcome: Outcome): Promise<void> => {
    counted[outcome.outcome] += 1
    const committed = recorder.record(owner, outcome)
    following.push(committed)
    return committed
  }
  const retry = ({ subscriptionId, userId }: Recipient, tries: number, at: Date) => {
    result.retries.push({ subscriptionId, userId, tries, retryAt: at.toISOString() })
  }

  return {
    settle(recipient, settlement) {
      if (settlement.is === 'retry') {
        retry(recipient, settlement.tries, settlement.retryAt)
        return Promise.resolve()
      }
      const { subscriptionId, userId, tokenVersion } = recipient
      const push = { subscriptionId, userId, variant: '', tokenVersion, attempts: settlement.tries }
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
      }
    },

    decided({ subscriptionId, userId, tokenVersion, attempts, outcome, code, providerCode = '' }) {
      void record({ subscriptionId, userId, tokenVersion, attempts, variant: '', outcome, code, providerCode })
    },

    settledBefore({ subscriptionId, userId }, { outcome, code, tokenVersion, at }, of) {
      if (outcome === 'sent') result.sent.push({ subscriptionId, environment: null })
      if (outcome === 'failed' && isDeadCode(of, code)) result.dead.push({ subscriptionId, userId, tokenVersion, since: at, code })
    },

    retry,
    follow: (push) => void following.push(push),
    async committed() {
      await Promise.all(following)
    },
    result: () => result,
    counts: () => ({ ...counted, retried: result.retries.length }),
  }
}
