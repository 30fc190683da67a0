import { Fault, tooManyReads } from '@herald/contracts/fault'
import { checkProvider as checkProviderCall } from '@herald/contracts/calls/dispatcher'
import { recordOutcomes } from '@herald/contracts/calls/tracker'
import type { PreparedSend } from '@herald/contracts/prepare-send'
import { pushWork } from '@herald/contracts/topology'
import { openAtOnce } from '@herald/service/at-once'
import { openBus } from '@herald/service/bus'
import type { Resolve } from '@herald/service/guarded-connect'
import type { Service } from '@herald/service/run'
import { LRUCache } from 'lru-cache'
import { checkProvider } from './check-provider.ts'
import { openComplaints } from './complain.ts'
import type { Config } from './config.ts'
import { deliverBatches, type Dispatch } from './deliver-batch.ts'
import { openJobs, pointersAtOnce } from './jobs.ts'
import { openMeasures } from './measures.ts'
import { openOrigins } from './origins.ts'
import { openTransports } from './open-transports.ts'
import { openCredentialsReader } from './read-credentials.ts'
import { openRecorder } from './record-outcomes.ts'
import { openSmallBatches } from './small-batches.ts'
import { openTakeNext } from './take-next.ts'
import { watchFlows } from './watch-flows.ts'
import { openWindow } from './window.ts'

/** Sends kept at once: content is at most 64 KiB, so 20 MB at worst. */
const keptSends = 200

/** Wires the dispatcher: which pointer is delivered with what. `given.resolve` asks for the addresses of push services elsewhere. */
export async function wireDispatcher(service: Service<Config>, given: { resolve?: Resolve } = {}): Promise<void> {
  const { config, log, metrics } = service
  const bus = await openBus(service)
  const jobs = openJobs()
  const window = openWindow(config.DISPATCH_WINDOW)
  const transports = await openTransports(service, bus, given)
  const givenUp = metrics.counter('herald_outcomes_given_up_total', 'Outcomes that the tracker refused for good. Must be 0.')
  const recorder = openRecorder((batches) => bus.call(recordOutcomes, { batches }), {
    isAway: (error) => !Fault.is(error, 'internal'),
    onRefused: ({ campaignId }, error) => log.error({ campaignId, err: error }, 'the tracker refuses outcomes'),
    onGivenUp({ campaignId, platform }, outcomes, error) {
      givenUp.inc(outcomes)
      const line = { campaignId, platform, outcomes, err: error }
      log.error(
        line,
        'outcomes were given up: the tracker refused them for two minutes and took others; this campaign will not settle by itself',
      )
    },
    stopping: jobs.stopping,
  })
  const dispatch: Dispatch = {
    bus,
    small: openSmallBatches(bus),
    log,
    hmacSecret: config.HMAC_SECRET,
    credentials: openCredentialsReader(bus),
    transports,
    window,
    recorder,
    jobs,
    flows: watchFlows(bus),
    measures: openMeasures(metrics, { window, jobs }),
    complain: openComplaints(log),
    origins: openOrigins(config.OUTAGE_PROBE_SECONDS * 1000),
    schedule: config.PROVIDER_RETRY_SECONDS,
    sends: new LRUCache<string, PreparedSend>({ max: keptSends }),
    uncommitted: new Map(),
  }
  service.onStop('deliveries', async () => {
    await jobs.stop()
    // Everything is answered or given up by now; a connection that will not close ends with the process.
    await Promise.race([transports.close(), new Promise((resolve) => setTimeout(resolve, 500).unref())])
  })
  // Each is a connection and its handshake, beside those of sending.
  const fewChecks = openAtOnce({ atOnce: 4, share: 2, mostWaiting: 20, waitMs: 3_000, full: () => tooManyReads(5) })
  bus.answer(checkProviderCall, (asked) => fewChecks(() => checkProvider({ bus, transports }, asked), asked.appId))
  const stopTaking = openTakeNext(dispatch, bus)
  service.beforeStop('next batches', stopTaking)
  for (const work of pushWork) {
    await bus.consume(work, { slots: pointersAtOnce[work.lane] }, (pointers) => deliverBatches(dispatch, work, pointers))
  }
}
