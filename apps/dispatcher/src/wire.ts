import { setTimeout as sleep } from 'node:timers/promises'
import { checkProvider as checkProviderCall } from '@herald/contracts/calls/dispatcher'
import { recordOutcomes } from '@herald/contracts/calls/tracker'
import { Fault, tooManyReads } from '@herald/contracts/fault'
import { pushWork } from '@herald/contracts/topology'
import { openAtOnce } from '@herald/service/at-once'
import { openBus } from '@herald/service/bus'
import type { Resolve } from '@herald/service/guarded-connect'
import type { Service } from '@herald/service/run'
import { LRUCache } from 'lru-cache'
import { checkProvider } from './check-provider.ts'
import { openComplaints } from './complain.ts'
import type { Config } from './config.ts'
import { deliverBatches } from './deliver-batch.ts'
import type { Dispatcher } from './dispatcher.ts'
import { openJobs, pointersAtOnce } from './jobs.ts'
import { openMeasures } from './measures.ts'
import { openTurnTime } from '@herald/service/turn-time'
import { openOrigins } from './origins.ts'
import { openTransports, providers } from './providers/open-providers.ts'
import { openCredentialsReader } from './read-credentials.ts'
import { openRecorder } from './record-outcomes.ts'
import { openBatchCalls } from './batch-calls.ts'
import { openTakeNext } from './take-next.ts'
import { watchFlows } from './watch-flows.ts'
import { openWindow } from './window.ts'

/** At most this many sends are remembered. Together they take at most 20 MB, because the content of a send has at most 64 KiB. */
const keptSends = 200

/**
 * Connects messages and calls to the functions that serve them: pointers and given batches to deliveries, and the call for a check of credentials.
 * `given.resolve` replaces the name servers in a test.
 */
export async function wireDispatcher(service: Service<Config>, given: { resolve?: Resolve } = {}): Promise<void> {
  const { config, log, metrics } = service
  if (config.HTTPS_PROXY) log.info({ proxy: new URL(config.HTTPS_PROXY).host }, 'providers are reached through a proxy')
  const bus = await openBus(service)
  const jobs = openJobs()
  const window = openWindow(config.DISPATCH_WINDOW)
  const transports = await openTransports(service, { bus, resolve: given.resolve })
  const givenUp = metrics.counter('herald_outcomes_given_up_total', 'Outcomes that the tracker refused for good. Must be 0.')
  const letGo = metrics.counter(
    'herald_outcomes_let_go_total',
    'Outcomes of pushes that the database has lost, in a restore or a failover to a standby that was behind.',
  )
  const recorder = openRecorder((batches) => bus.call(recordOutcomes, { batches }), {
    isAway: (error) => !Fault.is(error, 'internal'),
    onRefused: ({ campaignId }, error) => log.error({ campaignId, err: error }, 'the tracker refuses outcomes'),
    onGivenUp({ campaignId, platform }, outcomes, error) {
      givenUp.inc(outcomes)
      log.error(
        { campaignId, platform, outcomes, err: error },
        'outcomes were given up: the tracker refused them for two minutes and took others; this campaign will not settle by itself',
      )
    },
    onLetGo({ appId, campaignId, platform, no }, outcomes) {
      letGo.inc(outcomes)
      log.warn({ appId, campaignId, platform, no, outcomes }, 'outcomes were let go: the database has lost the batch that they belong to')
    },
    stopping: jobs.stopping,
  })
  const dispatcher: Dispatcher = {
    bus,
    log,
    hmacSecret: config.HMAC_SECRET,
    providers,
    transports,
    credentials: openCredentialsReader(bus),
    batchCalls: openBatchCalls(bus),
    window,
    recorder,
    jobs,
    flows: watchFlows(bus),
    measures: openMeasures(metrics, { window, jobs }),
    complain: openComplaints(log),
    origins: openOrigins(config.OUTAGE_PROBE_SECONDS * 1000),
    rendering: openTurnTime(2),
    schedule: config.PROVIDER_RETRY_SECONDS,
    acceptedLately: new LRUCache({ max: 5_000, ttl: 60_000 }),
    sends: new LRUCache({ max: keptSends }),
    uncommitted: new Map(),
  }
  service.onStop('deliveries', async () => {
    await jobs.stop()
    // By now every push is answered or given up. A connection that does not close ends with the process.
    await Promise.race([transports.close(), sleep(500, undefined, { ref: false })])
  })
  // Few checks run at once, because each opens a connection of its own, with a handshake.
  const fewChecks = openAtOnce({ atOnce: 4, share: 2, mostWaiting: 20, waitMs: 3_000, full: () => tooManyReads(5) })
  bus.answer(checkProviderCall, (asked) => fewChecks(() => checkProvider(dispatcher, asked), asked.appId))
  service.beforeStop('next batches', openTakeNext(dispatcher))
  for (const work of pushWork) {
    bus.consume(work, { atOnce: pointersAtOnce[work.lane] }, (pointers) => deliverBatches(dispatcher, work, pointers))
  }
}
