import type { Sealer } from '@herald/auth/seal'
import type { Bus } from '@herald/service/bus'
import { daily } from '@herald/service/daily'
import type { DatabaseWatch } from '@herald/service/health'
import { openHousework } from '@herald/service/housework'
import { transact } from '@herald/service/postgres'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import type { Kysely } from 'kysely'
import { eraseApps } from './apps/erase-apps.ts'
import type { KeyUses } from './apps/key-uses.ts'
import { reseal } from './apps/reseal.ts'
import { deleteUnnamedApnsTokens } from './apps/store/apns-tokens.ts'
import { deleteOldCandidates } from './apps/store/kept-credentials.ts'
import { deleteOldAudit, writeOldIntents } from './audit/store/audit.ts'
import { ofNoApp } from './core/audit.ts'
import { takeEndedSessions, type SessionLife } from './session/store/sessions.ts'
import { insertAudit } from './store/audit.ts'
import type { Tables } from './store/tables.ts'

type Needs = { db: Kysely<Tables>; bus: Bus; watch: DatabaseWatch; sealer: Sealer; uses: KeyUses }
type Sweep = () => Promise<{ took: number }>

/** Starts the gateway's sweeps: what it does by itself, without a request. */
export function keepHouse(
  service: Service,
  { db, bus, watch, sealer, uses }: Needs,
  { life, auditDays }: { life: SessionLife; auditDays: number | undefined },
): void {
  const { log } = service
  startSweep(service, watch, 'erase-apps', () => eraseApps({ db, bus, log }))
  startSweep(service, watch, 'key-uses', writeKeyUses({ db, uses }))
  startSweep(service, watch, 'checked-credentials', forgetChecked({ db }))
  startSweep(service, watch, 'sessions', endSessions({ db }, life))
  startSweep(service, watch, 'audit', keepAudit({ db }, auditDays))
  startSweep(
    service,
    watch,
    'reseal',
    daily(async () =>
      log.info(await reseal({ db, sealer }), 'sealed values anew with the first of the SEAL_KEYS; `left` values still need another key'),
    ),
  )
}

const minuteMs = 60_000

/** Makes a sweep that writes the uses of API keys, once a minute. */
export function writeKeyUses({ db, uses }: { db: Kysely<Tables>; uses: KeyUses }, everyMs = minuteMs): Sweep {
  let writtenAt = performance.now()
  return async () => {
    if (performance.now() - writtenAt < everyMs) return { took: 0 }
    writtenAt = performance.now()
    await uses.write(db)
    return { took: 0 }
  }
}

/** Makes a sweep that once a minute deletes what checks of credentials left behind. */
const forgetChecked = ({ db }: { db: Kysely<Tables> }): Sweep =>
  openHousework(db, { name: 'checked-credentials', everyMs: minuteMs }, async () => ({
    took: (await deleteOldCandidates(db)) + (await deleteUnnamedApnsTokens(db)),
  }))

/** Makes a sweep that once a minute deletes sessions whose time is over, each with a line in the audit. */
function endSessions({ db }: { db: Kysely<Tables> }, life: SessionLife): Sweep {
  return openHousework(db, { name: 'sessions', everyMs: minuteMs }, () =>
    transact(db, async (trx) => {
      const ended = await takeEndedSessions(trx, life)
      for (const { id, name } of ended)
        await insertAudit(trx, { appId: ofNoApp, actor: name, requestId: null, action: 'session.ended', subject: { id, why: 'expired' } })
      return { took: ended.length }
    }),
  )
}

/**
 * The audit is swept this often. That is often enough, because an intent becomes a line only when it is a minute old, and lines are deleted by their
 * age in days.
 */
const auditEveryMs = 15_000

/**
 * Makes a sweep that turns intents older than a minute into lines of the audit, and deletes lines past their retention. `retentionDays` is undefined
 * when lines are never deleted.
 */
const keepAudit = ({ db }: { db: Kysely<Tables> }, retentionDays: number | undefined): Sweep =>
  openHousework(db, { name: 'audit', everyMs: auditEveryMs }, async () => ({
    took: (await writeOldIntents(db)) + (retentionDays === undefined ? 0 : await deleteOldAudit(db, retentionDays)),
  }))
