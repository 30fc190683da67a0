import { Fault, queueUnavailable } from '@herald/contracts/fault'
import { openBackground } from '@herald/service/background'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { openHousework } from '@herald/service/housework'
import { startSweep } from '@herald/service/sweep'
import { acceptCampaigns } from './accept-campaigns.ts'
import { beginRecalls } from './begin-recalls.ts'
import type { Config } from './config.ts'
import { asSmallSend, freeze } from './core/frozen-send.ts'
import { openHandOver, publishDue } from './hand-over.ts'
import { houseEveryMs, openHousekeeping } from './keep-house.ts'
import { openMeasures } from './measures.ts'
import { noteFailedStart } from './note-failed-start.ts'
import { fanOutStarted, settleCampaigns } from './record-progress.ts'
import { pickWinners } from './pick-winners.ts'
import { runRecurrences } from './run-recurrences.ts'
import type { Tables } from './store/tables.ts'
import { addUpUses } from './store/templates.ts'
import { takeDue } from './take-due.ts'
import { tellDueFlows, tellFlow } from './tell-flows.ts'
import { wireCampaigns } from './wire.ts'
import type { Campaigns, Acceptable, Several } from './campaigns.ts'

export async function startCampaigns(service: Service<Config>): Promise<void> {
  const { config, log } = service
  const { db, frequentDb, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_CAMPAIGNS,
    poolSize: config.DATABASE_POOL_SIZE,
    pooler: config.DATABASE_POOLER,
    readUrl: config.DATABASE_READ_URL,
  })
  const bus = await openBus(service, watch)
  const background = openBackground(service, { what: 'pointers', limit: 1_000 })
  const handOverTogether = openHandOver(bus, (campaignId) => noteFailedStart({ db }, { campaignId }))
  // Each of the three groups below writes at most 200 items in one commit, and at most 2,000 wait for it (libs/service/src/group.ts).
  const shared = { limit: 200, maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }
  let someWaitUntil = 0

  const campaigns: Campaigns = {
    ...{ db, reads, bus, log },
    measures: openMeasures(service.metrics, { db, watch }),
    idempotencyHours: config.IDEMPOTENCY_RETENTION_HOURS,
    defaultTtlSeconds: config.DEFAULT_TTL_SECONDS,
    transactionalDays: config.TRANSACTIONAL_RETENTION_DAYS,
    ledgerDays: config.LEDGER_RETENTION_DAYS,
    pauseDays: config.PAUSE_MAX_DAYS,
    catchUpSeconds: config.RECURRING_CATCHUP_SECONDS,
    accept: group((items: Acceptable[]) => acceptCampaigns(ofSends, items), { ...shared, appOf: ({ campaign }) => campaign.appId }),
    start({ send, ...campaign }) {
      const small = asSmallSend(freeze({ ...campaign, ...send, remainder: null, localTimesAfter: null }), campaign.target)
      if (small) campaigns.handOver(small, 0)
      else campaigns.pointAt(campaign.id, 0, campaign.appId)
    },
    haveWaiting() {
      someWaitUntil = performance.now() + 5_000
      due.poke()
    },
    handOver: (small, pointerNo) => background(() => handOverTogether(small, pointerNo)),
    pointAt: (campaignId, pointerNo = 0, appId) => background(() => publishDue(bus, campaignId, pointerNo, appId)),
    tell: (change) => background(async () => void (await tellFlow(campaigns, change))),
    poke: () => [due, recurrences].forEach((sweep) => sweep.poke()),
    beginRecalls: () => recalls.poke(),
    fanOutStarted: orThrow(
      group(async (requests: Several[]) => {
        const answers = await fanOutStarted(ofSends, requests)
        if (performance.now() < someWaitUntil) due.poke()
        return answers
      }, shared),
    ),
    settleCampaigns: orThrow(group((requests: Several[]) => settleCampaigns(ofSends, requests), shared)),
  }
  // Work that every send needs uses `frequentDb` instead of `db`, because its connections keep the plans of their statements.
  const ofSends: Campaigns = { ...campaigns, db: frequentDb }

  const due = startSweep(service, watch, 'due', async () => {
    const swept = await takeDue(ofSends)
    if (swept.took > 0) someWaitUntil = performance.now() + 5_000
    return swept
  })
  // Recurrences have a sweep of their own, so that a recurrence that cannot be read holds up no send.
  const recurrences = startSweep(service, watch, 'recurrences', () => runRecurrences(campaigns))
  startSweep(service, watch, 'winners', () => pickWinners(campaigns))
  const recalls = startSweep(service, watch, 'recalls', () => beginRecalls(campaigns))
  startSweep(service, watch, 'flows', () => tellDueFlows(ofSends))
  startSweep(service, watch, 'template-uses', async () => ({ took: await addUpUses(frequentDb) }))
  startSweep(
    service,
    watch,
    'housekeeping',
    openHousework(campaigns.db, { name: 'housekeeping', everyMs: houseEveryMs }, openHousekeeping(campaigns)),
  )

  wireCampaigns(bus, campaigns)
}

/** Throws the faults among the answers of a group. */
const orThrow =
  <Request, Answer>(work: (request: Request) => Promise<Answer | Fault>): ((request: Request) => Promise<Answer>) =>
  async (request) => {
    const answer = await work(request)
    if (answer instanceof Fault) throw answer
    return answer
  }
