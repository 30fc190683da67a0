import type { FrozenSmallSend } from '@herald/contracts/calls/audience'
import * as calls from '@herald/contracts/calls/campaigns'
import { queueUnavailable } from '@herald/contracts/fault'
import { openBus } from '@herald/service/bus'
import { group } from '@herald/service/group'
import { failsEverybody } from '@herald/service/health'
import { openDatabase } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { acceptCampaigns, type Acceptable } from './accept-campaigns.ts'
import { openBackground } from '@herald/service/background'
import { cancelCampaign } from './cancel-campaign.ts'
import type { Config } from './config.ts'
import { endCampaign, pauseCampaign, resumeCampaign } from './change-flow.ts'
import { createCampaign, replaceCampaign } from './create-campaign.ts'
import { flowOf } from './core/campaign.ts'
import { asSmallSend, freeze } from './core/frozen-send.ts'
import { eraseApp } from './erase-app.ts'
import { explainCampaign } from './explain-campaign.ts'
import { openHandOver } from './hand-over.ts'
import { openHousekeeping } from './keep-house.ts'
import { listRuns } from './list-runs.ts'
import { deleteCampaign, duplicateCampaign, getCampaign, listCampaigns } from './manage-campaign.ts'
import { createTemplate, deleteTemplate, listTemplates, readTemplate, replaceTemplate } from './manage-template.ts'
import { openMeasurements } from './measure.ts'
import { pickWinner } from './pick-winner.ts'
import { publishDue } from './publish-due.ts'
import { readCampaign } from './read-campaign.ts'
import { readSend } from './read-send.ts'
import { resolveForDryRun } from './resolve-for-dry-run.ts'
import { runRecurrences } from './run-recurrences.ts'
import { sendCampaign } from './send-campaign.ts'
import { sendNotification, type Accepting } from './send-notification.ts'
import { sendTest } from './send-test.ts'
import { markFailed, markSettled, markStarted, type NewCampaign, type Started } from './store/campaigns.ts'
import type { Tables } from './store/tables.ts'
import { addUpUses } from './store/templates.ts'
import { summarizeCampaigns } from './summarize-campaigns.ts'
import { takeDue } from './take-due.ts'
import { tellDueFlows, tellFlow } from './tell-flows.ts'

/** What is plugged into what: calls to flows, and the sweeps. */
export async function wireCampaigns(service: Service<Config>): Promise<void> {
  const { config } = service
  const { db, kept, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_CAMPAIGNS,
    poolSize: config.DATABASE_POOL_SIZE,
  })
  const bus = await openBus(service, watch)

  const background = openBackground(service, { what: 'pointers', limit: 1_000 })
  const pointAt = (campaignId: string, pointerNo = 0, appId?: string) => background(() => publishDue(bus, campaignId, pointerNo, appId))
  const tell = (change: Started) => background(() => tellFlow({ db, bus }, change))
  const { startedLate, missedOccurrences } = openMeasurements(service, db, watch)

  // Per kind one commit is in flight, and everything that is ready goes along.
  const shared = { limit: 200, maxWaiting: 2_000, full: queueUnavailable, isShared: failsEverybody }
  const idempotencyHours = config.IDEMPOTENCY_RETENTION_HOURS
  // Sends beyond what an app may have on the lane wait for its turn: each that audience takes over makes room for the next.
  let someWaitUntil = 0
  const haveWaiting = () => {
    someWaitUntil = performance.now() + 5_000
    due.poke()
  }
  const handOverNow = openHandOver(bus)
  const handOver = (small: FrozenSmallSend, pointerNo: number) => background(() => handOverNow(small, pointerNo))
  const start = ({ send, ...campaign }: NewCampaign) => {
    const small = asSmallSend(freeze({ ...campaign, ...send, remainder: null, localTimesAfter: null }), campaign.target)
    if (small) handOver(small, 0)
    else pointAt(campaign.id, 0, campaign.appId)
  }
  const accept = group((items: Acceptable[]) => acceptCampaigns({ db: kept, idempotencyHours, start, haveWaiting }, items), {
    ...shared,
    turn: ({ campaign }) => campaign.appId,
  })
  // Each call is of many, and calls that meet share a statement.
  const started = group(async (requests: { campaignIds: string[] }[]) => {
    const ids = [...new Set(requests.flatMap(({ campaignIds }) => campaignIds))]
    const rows = new Map((await markStarted(kept, ids)).map((row) => [row.id, row]))
    if (performance.now() < someWaitUntil) due.poke()
    const flowTo = (campaignId: string) => {
      const row = rows.get(campaignId)
      return row ? { flow: flowOf(row), no: row.flow_no } : null
    }
    return requests.map(({ campaignIds }) => ({ flows: campaignIds.map(flowTo) }))
  }, shared)
  const settled = group(async (requests: { campaignIds: string[] }[]): Promise<Record<string, never>[]> => {
    await markSettled(kept, [...new Set(requests.flatMap(({ campaignIds }) => campaignIds))])
    return requests.map(() => ({}))
  }, shared)

  const due = startSweep(service, watch, 'due', async () => {
    const swept = await takeDue({ db: kept, bus, handOver, startedLate })
    if (swept.took > 0) someWaitUntil = performance.now() + 5_000
    return swept
  })
  // A sweep of its own: a recurrence that cannot be read holds up no send.
  const catchUpSeconds = config.RECURRING_CATCHUP_SECONDS
  const recurrences = startSweep(service, watch, 'recurrences', () =>
    runRecurrences({ db, pointAt, catchUpSeconds, startedLate, missedOccurrences, log: service.log }),
  )
  startSweep(service, watch, 'flows', () => tellDueFlows({ db: kept, bus }))
  startSweep(service, watch, 'template-uses', async () => ({ took: await addUpUses(kept) }))
  startSweep(
    service,
    watch,
    'housekeeping',
    openHousekeeping({
      db,
      idempotencyHours,
      transactionalDays: config.TRANSACTIONAL_RETENTION_DAYS,
      ledgerDays: config.LEDGER_RETENTION_DAYS,
      pauseDays: config.PAUSE_MAX_DAYS,
      log: service.log,
    }),
  )

  const accepting: Accepting = { db, bus, accept, idempotencyHours, defaultTtlSeconds: config.DEFAULT_TTL_SECONDS }
  const starting = { db, bus, pointAt, poke: () => [due, recurrences].forEach((sweep) => sweep.poke()) }
  const deciding = { db, pointAt, ledgerDays: config.LEDGER_RETENTION_DAYS }
  const changing = { db, tell, pointAt, poke: () => recurrences.poke() }

  bus.answer(calls.sendNotification, (request) => sendNotification(accepting, request))
  bus.answer(calls.sendTest, (request) => sendTest(accepting, request))
  bus.answer(calls.createCampaign, (request) => createCampaign(accepting, request))
  bus.answer(calls.sendCampaign, (request) => sendCampaign(starting, request))
  bus.answer(calls.cancelCampaign, (request) => cancelCampaign(db, request))
  bus.answer(calls.pickWinner, (request) => pickWinner(deciding, request))
  bus.answer(calls.readCampaign, (request) => reads((db) => readCampaign(db, request), { turn: request.appId }))

  const pauseDays = config.PAUSE_MAX_DAYS
  bus.answer(calls.explainCampaign, (request) =>
    explainCampaign({ bus, pauseDays, read: (work) => reads(work, { turn: request.appId }) }, request),
  )

  bus.answer(calls.summarizeCampaigns, (request) => reads((db) => summarizeCampaigns(db, request), { turn: request.appId }))
  bus.answer(calls.listCampaigns, (request) => reads((db) => listCampaigns(db, request), { turn: request.appId }))
  bus.answer(calls.getCampaign, (request) => reads((db) => getCampaign(db, request), { turn: request.appId }))
  bus.answer(calls.listRuns, (request) => reads((db) => listRuns(db, request), { turn: request.appId }))
  bus.answer(calls.replaceCampaign, (request) => replaceCampaign(accepting, request))
  bus.answer(calls.deleteCampaign, (request) => deleteCampaign(db, request))
  bus.answer(calls.duplicateCampaign, (request) => duplicateCampaign(db, request))
  bus.answer(calls.pauseCampaign, (request) => pauseCampaign(changing, request))
  bus.answer(calls.resumeCampaign, (request) => resumeCampaign(changing, request))
  bus.answer(calls.endCampaign, (request) => endCampaign(changing, request))
  bus.answer(calls.eraseCampaignsOfApp, (request) => eraseApp(db, request))

  bus.answer(calls.resolveSend, (request) =>
    reads((db) => resolveForDryRun({ db, bus, defaultTtlSeconds: config.DEFAULT_TTL_SECONDS }, request), {
      withinMs: 12_000,
      turn: request.appId,
    }),
  )
  bus.answer(calls.readSend, (request) => readSend(db, request))
  bus.answer(calls.fanOutStarted, started)
  bus.answer(calls.settleCampaigns, settled)
  bus.answer(calls.failCampaign, async ({ campaignId, ...failure }) => {
    await markFailed(db, campaignId, failure)
    return {}
  })

  bus.answer(calls.createTemplate, (request) => createTemplate(db, request))
  bus.answer(calls.listTemplates, (request) => reads((db) => listTemplates(db, request), { turn: request.appId }))
  bus.answer(calls.readTemplate, (request) => reads((db) => readTemplate(db, request), { turn: request.appId }))
  bus.answer(calls.replaceTemplate, (request) => replaceTemplate(db, request))
  bus.answer(calls.deleteTemplate, (request) => deleteTemplate(db, request))
}
