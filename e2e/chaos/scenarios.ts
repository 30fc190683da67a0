import type { Scenario } from './scenario.ts'
import { badConnections } from './scenarios/bad-connections.ts'
import { canary } from './scenarios/canary.ts'
import { databaseAway } from './scenarios/database-away.ts'
import { demotedDatabase } from './scenarios/demoted-database.ts'
import { erasure } from './scenarios/erasure.ts'
import { explain } from './scenarios/explain.ts'
import { freezeDispatcher } from './scenarios/freeze-dispatcher.ts'
import { goaway } from './scenarios/goaway.ts'
import { hostileStranger } from './scenarios/hostile-stranger.ts'
import { hostileTenant } from './scenarios/hostile-tenant.ts'
import { killAll } from './scenarios/kill-all.ts'
import { killDispatcher } from './scenarios/kill-dispatcher.ts'
import { killImport } from './scenarios/kill-import.ts'
import { loseNatsStore } from './scenarios/lose-nats-store.ts'
import { lostRows } from './scenarios/lost-rows.ts'
import { natsFull } from './scenarios/nats-full.ts'
import { oneBadRecipient } from './scenarios/one-bad-recipient.ts'
import { outage } from './scenarios/outage.ts'
import { ownerChanged } from './scenarios/owner-changed.ts'
import { quota } from './scenarios/quota.ts'
import { rollingRestart } from './scenarios/rolling-restart.ts'
import { skewedClocks } from './scenarios/skewed-clocks.ts'
import { strangeReceivers } from './scenarios/strange-receivers.ts'
import { wrongCredentials } from './scenarios/wrong-credentials.ts'
import { wrongEnvironment } from './scenarios/wrong-environment.ts'

/** Every scenario, by its name for `--scenario`. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'kill-dispatcher': killDispatcher,
  'kill-all': killAll,
  'lose-nats-store': loseNatsStore,
  'freeze-dispatcher': freezeDispatcher,
  'wrong-credentials': wrongCredentials,
  'wrong-environment': wrongEnvironment,
  goaway,
  'bad-connections': badConnections,
  canary,
  'owner-changed': ownerChanged,
  'rolling-restart': rollingRestart,
  erasure,
  'database-away': databaseAway,
  'demoted-database': demotedDatabase,
  'lost-rows': lostRows,
  'nats-full': natsFull,
  'one-bad-recipient': oneBadRecipient,
  quota,
  'hostile-tenant': hostileTenant,
  'hostile-stranger': hostileStranger,
  outage,
  'skewed-clocks': skewedClocks,
  explain,
  'kill-import': killImport,
  'strange-receivers': strangeReceivers,
}
