import type { DatabaseWatch } from '@herald/service/health'
import type { Reads } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { openHousework } from '@herald/service/housework'
import { startSweep } from '@herald/service/sweep'
import type { Audience } from './audience.ts'
import type { Config } from './config.ts'
import { purgeAccepted } from './delivery/store/accepted-devices.ts'
import { purgeRates } from './delivery/store/provider-rates.ts'
import { purgeGuarded } from './delivery/store/circuits.ts'
import { keepImports } from './people/manage-import.ts'
import { removeAbandonedUsers } from './people/remove-abandoned-users.ts'
import { purgeDeviceDays } from './people/store/device-days.ts'
import { purgeFormerDevices } from './people/store/former-devices.ts'
import { deviceDaysKept, openDeviceDays } from './people/count-devices.ts'
import { tellErasures } from './people/delete-user.ts'
import type { ToldNotes } from './sends/note-told.ts'
import { purgeCapClaims } from './sends/store/claims.ts'
import { clearSettled, clearWaves, openUnsettled, purgeFanOuts } from './sends/store/settled.ts'
import { purgeTurns } from './sends/store/turns-of-sends.ts'
import { deleteOldErasedApps } from '@herald/service/erased-apps'
import { purgeActivities } from './store/activities.ts'
import { purgeGoneNotes } from './store/last-notified.ts'
import type { Db, Tables } from './store/tables.ts'

/** Rows are checked against their retention, which is measured in days, once in this time. */
const purgeEveryMs = 60_000
/** How often is looked for sends that lack outcomes although all their batches are finished. */
const unsettledEveryMs = 15_000

type House = {
  audience: Audience
  /** Database connections that keep query plans, for statements that run for each send. */
  frequentDb: Db
  reads: Reads<Tables>
  told: ToldNotes
}

/**
 * Starts the sweeps that write notes to fan-outs (sends/note-told.ts), tell webhooks of erased users, count devices and delete old rows. The
 * `tellErasures` that it gives runs the sweep that tells webhooks at once.
 */
export function keepHouse(
  service: Service<Config>,
  watch: DatabaseWatch,
  { audience, frequentDb, reads, told }: House,
): { tellErasures: () => void } {
  const { db } = audience
  const { FAN_OUT_RETENTION_DAYS: fanOutDays, LEDGER_RETENTION_DAYS: ledgerDays } = service.config
  const sweep = (name: string, work: () => Promise<{ took: number; nextInMs?: number }>) => startSweep(service, watch, name, work)
  const inTurn = (name: string, everyMs: number, work: () => Promise<boolean>) =>
    sweep(
      name,
      openHousework(db, { name, everyMs }, async () => ({ took: (await work()) ? 1 : 0 })),
    )

  // Notes wait in memory and must be in their rows before these are due, so this sweep looks each second.
  sweep('told', async () => ({ took: await told.write(), nextInMs: 1_000 }))
  sweep('settled', async () => ({ took: (await clearSettled(frequentDb)) || (await clearWaves(frequentDb)) ? 1 : 0 }))
  sweep('cap-claims', async () => ({ took: (await purgeCapClaims(db)) ? 1 : 0 }))
  sweep('abandoned-users', () => removeAbandonedUsers({ db }))
  sweep('device-days', openDeviceDays({ db, reads }))
  inTurn('retention', purgeEveryMs, async () => {
    await deleteOldErasedApps(db, fanOutDays)
    const more = await Promise.all([
      purgeFanOuts(db, fanOutDays),
      purgeGuarded(db),
      purgeAccepted(db),
      purgeRates(db),
      purgeTurns(db),
      purgeDeviceDays(db, deviceDaysKept),
      purgeFormerDevices(db, ledgerDays),
      purgeActivities(db),
    ])
    return more.includes(true)
  })
  let lookedTo = ''
  inTurn('unsettled', unsettledEveryMs, async () => {
    const { opened, last } = await openUnsettled(db, lookedTo)
    lookedTo = last ?? ''
    for (const one of opened)
      audience.log.warn(one, 'the ledger lacks outcomes of a send whose batches are all finished: they are taken again')
    return last !== undefined
  })
  inTurn('imports', purgeEveryMs, () => keepImports({ db }))
  sweep('gone-notes', async () => ({ took: (await purgeGoneNotes(db)) ? 1 : 0 }))
  const erasures = sweep('erasures', () => tellErasures(audience))
  return { tellErasures: () => erasures.poke() }
}
