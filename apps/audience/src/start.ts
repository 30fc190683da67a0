import type { FanOutPointer } from '@herald/contracts/batch'
import { queueUnavailable } from '@herald/contracts/fault'
import { bulkFanOutWork, fanOutWork } from '@herald/contracts/topology'
import { openAtOnce } from '@herald/service/at-once'
import { openBackground } from '@herald/service/background'
import { boundAnnouncements } from '@herald/service/bound-announcements'
import { openBus } from '@herald/service/bus'
import { failsEverybody } from '@herald/service/health'
import { openDatabase, readConnectionsOfAudience } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { openAppSettings } from './app-settings.ts'
import { commitTogether } from './commit-together.ts'
import type { Config } from './config.ts'
import { remember, rememberSends } from './delivery/read-taken.ts'
import { openProviderRates } from './delivery/provider-rates.ts'
import { serveDispatchers } from './delivery/serve-dispatchers.ts'
import { spareTakers } from './delivery/spare-takers.ts'
import { openTakers } from './delivery/takers.ts'
import { rememberCircuits } from './delivery/update-circuits.ts'
import { keepHouse } from './keep-house.ts'
import { openLastNotified } from './last-notified.ts'
import { openMeasures } from './measures.ts'
import { wakeFanOut } from './sends/change-flow.ts'
import { fanOut } from './sends/fan-out.ts'
import { openToldNotes } from './sends/note-told.ts'
import { openStarting } from './sends/start-sends.ts'
import { openTelling } from './sends/tell-started.ts'
import { tellAgain } from './sends/tell-totals.ts'
import { makeUntakenDue } from './store/due.ts'
import type { Tables } from './store/tables.ts'
import { sweepDue } from './sweep-due.ts'
import { wireAudience } from './wire.ts'
import type { Audience } from './audience.ts'

export async function startAudience(service: Service<Config>): Promise<void> {
  const { config, log } = service
  const { db, frequentDb, reads, watch } = await openDatabase<Tables>(service, {
    url: config.DATABASE_URL_AUDIENCE,
    poolSize: config.DATABASE_POOL_SIZE,
    pooler: config.DATABASE_POOLER,
    readUrl: config.DATABASE_READ_URL,
    readSize: readConnectionsOfAudience,
  })
  const bus = await openBus(service, watch)
  // Two database connections are kept free for short work. The others may be used to read pages, and one app may use half of these.
  const pagesAtOnce = Math.max(2, config.DATABASE_POOL_SIZE - 2)
  let someWaitUntil = 0
  const told = openToldNotes(frequentDb, log)
  const audience: Audience = {
    ...{ db, bus, log },
    settingsOf: openAppSettings(bus),
    commit: commitTogether(db, { maxWaiting: 5_000, full: queueUnavailable, isShared: failsEverybody }),
    noteTold: (rows) => told.note(rows),
    haveWaiting: () => {
      someWaitUntil = performance.now() + 5_000
    },
    scan: openAtOnce({ atOnce: pagesAtOnce, share: Math.ceil(pagesAtOnce / 2) }),
    lastNotified: openLastNotified(service, { db, bus }),
    bulkWindow: config.BULK_WINDOW,
  }
  // Statements that run for each send, however small, use connections that keep query plans.
  const ofSends: Audience = { ...audience, db: frequentDb }
  const measures = openMeasures(service.metrics, { db, watch })

  const takersSpared = spareTakers(audience, watch)
  const due = startSweep(service, watch, 'due', async () => {
    await takersSpared()
    const swept = await sweepDue(ofSends)
    if (swept.took > 0) audience.haveWaiting()
    return swept
  })
  const poke = () => due.poke()
  bus.onStoreLost(() => void makeUntakenDue(db).then(poke, (error: unknown) => log.debug({ err: error }, 'rows could not be made due yet')))
  boundAnnouncements(service, watch, db)
  const house = keepHouse(service, watch, { audience, frequentDb, reads, told })

  const remembered = rememberSends()
  const outageProbeMs = config.OUTAGE_PROBE_SECONDS * 1000
  const dispatchers = serveDispatchers({
    ...ofSends,
    ...{ remembered, takersSpared, poke, outageProbeMs },
    rates: openProviderRates({ db: frequentDb, log }),
    reportAgain: (batch) => tellAgain(ofSends, batch),
    maxHoldSeconds: config.BREAKER_MAX_HOLD_SECONDS,
    circuitMemory: rememberCircuits(service, outageProbeMs),
    wakeFanOut: (appId) => wakeFanOut(ofSends, appId),
    // When a batch is taken, the sweep may point at another batch of the app that waits. A batch that was held instead may soon be a probe.
    afterTake: () => (performance.now() < someWaitUntil ? poke() : due.stir()),
  })
  const takers = openTakers()
  service.beforeStop('takers', () => takers.stop())
  const background = openBackground(service, { what: 'small sends', limit: 2_000 })
  const tellStarted = openTelling(ofSends)
  const startSends = openStarting(
    ofSends,
    (begun) => {
      due.stir()
      // This send's batches are read next, for the dispatcher that they are given to or in its next calls.
      if (begun.row.send) remember(remembered, begun.row.send)
      background(() => tellStarted(begun))
    },
    takers,
    dispatchers.readGiven,
  )
  wireAudience(bus, { audience, frequentDb, reads, dispatchers, takers, startSends, told, poke, tellErasures: house.tellErasures })

  const cutPages = async (pointer: FanOutPointer) => {
    due.stir()
    measures.pagesCut(await fanOut(audience, pointer))
  }
  // With 48 at once 205 one-device sends a second went out, with 8 only 137: a small fan-out mostly waits. 160 are read, so that one app's pointer
  // waits behind no other's. Bulk pages use at most half the connections.
  const inWork = openAtOnce({ atOnce: 48, share: 40, crowdedShare: 8 })
  bus.consume(fanOutWork, { atOnce: 160 }, (pointer) => inWork(() => cutPages(pointer), pointer.appId ?? ''))
  bus.consume(bulkFanOutWork, { atOnce: Math.ceil(config.DATABASE_POOL_SIZE / 2) }, cutPages)
}
