import { setTimeout as sleep } from 'node:timers/promises'
import { readCampaign } from '@herald/contracts/calls/campaigns'
import { listPushes, type LedgerRow } from '@herald/contracts/calls/tracker'
import { Fault, notFound } from '@herald/contracts/fault'
import type { CampaignStatus } from '@herald/contracts/stats'
import { mostTested, type NotQueued, type TestResult } from '@herald/contracts/test-send'
import type { Bus } from '@herald/service/bus'

/**
 * At most this many requests of one process wait for their tests at the same time, because the gateway keeps reading each test's status. A further
 * request is answered at once with the results so far.
 */
const mostWaits = 50
const waitMs = 10_000
/** The first pause between two readings of a test's status. A push takes some ten milliseconds as a rule. */
const firstRestMs = 50
/** The pauses grow to this, because a push that waits for its next attempt takes seconds. */
const longestRestMs = 500

export type AcceptedTest = { appId: string; campaignId: string; notQueued: NotQueued[] }
/** How far a test has come. `isOver` is true when every push of the test has an outcome and `results` holds them all. */
export type TestStanding = { status: CampaignStatus; isOver: boolean; results: TestResult[] }

export type TestWaits = {
  /**
   * Waits for a test's end, at most 10 s, and gives the results so far: at once with too many waits or at the process's stop. Results that cannot be
   * read are left out. Fault: not_found (app deleted meanwhile).
   */
  standingOf(test: AcceptedTest): Promise<TestStanding>
  /** Ends every wait; each waiting request gets the results so far. */
  close(): void
}

export function openTestWaits({ bus }: { bus: Pick<Bus, 'call'> }): TestWaits {
  const stop = new AbortController()
  const { signal } = stop
  let waits = 0

  const waitForEnd = async (test: AcceptedTest): Promise<CampaignStatus> => {
    const endsAt = performance.now() + waitMs
    waits += 1
    try {
      for (let restMs = firstRestMs; ; restMs = Math.min(2 * restMs, longestRestMs)) {
        await sleep(Math.max(0, Math.min(restMs, endsAt - performance.now())), undefined, { signal }).catch(() => undefined)
        const status = await readStatus(bus, test)
        if (isEnd(status) || performance.now() >= endsAt || signal.aborted) return status
      }
    } finally {
      waits -= 1
    }
  }

  return {
    async standingOf(test) {
      const first = await readStatus(bus, test)
      const status = isEnd(first) || waits >= mostWaits || signal.aborted ? first : await waitForEnd(test)
      // The status was read first: when it says that the test is over, the ledger has every outcome.
      const settled = await readResults(bus, test)
      const results = [...(settled ?? []), ...test.notQueued.map(asResult)]
      return {
        status,
        isOver: isEnd(status) && settled !== undefined,
        results: results.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1)),
      }
    },
    close: () => stop.abort(),
  }
}

const isEnd = (status: CampaignStatus): boolean => status === 'sent' || status === 'cancelled' || status === 'failed'

async function readStatus(bus: Pick<Bus, 'call'>, { appId, campaignId }: AcceptedTest): Promise<CampaignStatus> {
  const campaign = await unlessBusy(bus.call(readCampaign, { appId, campaignId }))
  if (campaign === null) throw notFound()
  return campaign?.status ?? 'sending'
}

/** Reads the results from the ledger; undefined when they cannot be read now. */
async function readResults(bus: Pick<Bus, 'call'>, { appId, campaignId }: AcceptedTest): Promise<TestResult[] | undefined> {
  const results: TestResult[] = []
  let cursor: string | null | undefined
  // A page may hold fewer rows than asked for, even none. At most `mostTested` pages are read, because a test has at most so many pushes.
  for (let pages = 0; cursor !== null && pages < mostTested; pages += 1) {
    const page = await unlessBusy(bus.call(listPushes, { appId, campaignId, limit: 200, ...(cursor === undefined ? {} : { cursor }) }))
    if (!page) return undefined
    results.push(...page.items.map(toResult))
    cursor = page.nextCursor
  }
  return results
}

const toResult = ({ subscriptionId, platform, outcome, code, providerCode, attempts }: LedgerRow): TestResult => {
  return { subscriptionId, platform, outcome, code, providerCode, attempts }
}

const asResult = ({ subscriptionId, platform, code }: NotQueued): TestResult => {
  return { subscriptionId, platform, outcome: 'not_queued', code, providerCode: null, attempts: 0 }
}

/** Gives the answer of another service, or undefined when that service is away or too busy: the test goes on meanwhile. */
async function unlessBusy<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    const passes = (['rate_limited', 'queue_unavailable', 'database_unavailable'] as const).some((code) => Fault.is(error, code))
    if (passes) return undefined
    throw error
  }
}
