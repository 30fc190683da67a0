import { newId } from '@herald/contracts/ids'
import { queueUnavailable } from '@herald/contracts/fault'
import { group } from '@herald/service/group'
import type { DatabaseWatch } from '@herald/service/health'
import type { Service } from '@herald/service/run'
import { startSweep } from '@herald/service/sweep'
import { waitAtMost } from '@herald/service/wait-at-most'
import type { Kysely } from 'kysely'
import { RateLimit, type Allowance } from './core/rate-limit.ts'
import { noteGateway, takePortions, type Portion } from './store/rate-windows.ts'
import type { Tables } from './store/tables.ts'

/** A limit on the requests of each key in a minute. `look` says whether one more may pass, as far as this gateway knows, without counting it. */
export type Limit = {
  readonly isOn: boolean
  take(key: string): Allowance | Promise<Allowance>
  look(key: string): Allowance
  giveBack(key: string): void
}
/** Makes a limit. Its name is that of its keys in the database. */
export type OpenLimit = (name: string, limit: number) => Limit

/** Limits that this process counts alone. */
export const ownLimits: OpenLimit = (_name, most) => {
  const limit = new RateLimit(most)
  return {
    isOn: limit.isOn,
    take: (key) => limit.take(key, performance.now()),
    look: (key) => limit.look(key, performance.now()),
    giveBack: (key) => limit.giveBack(key),
  }
}

/** A gateway takes a twentieth of a limit at a time, so a killed one takes at most that much with it. */
const portions = 20
/** When the database does not answer within this time, a gateway goes on with its share: the limit divided by the gateways. */
const patience = 50
const heartbeatMs = 10_000
const minuteMs = 60_000
/** At most this many keys are counted at once (core/rate-limit.ts has the same bound, and the same reason). */
const mostCounted = 100_000

/**
 * Limits that all gateways of an installation count together (spec: limits/shared). The minutes are those of the database's clock. A gateway that
 * is alone counts by itself and asks nothing.
 */
export async function openSharedLimits(
  service: Service,
  { db, watch, patienceMs = patience }: { db: Kysely<Tables>; watch: DatabaseWatch; patienceMs?: number },
): Promise<OpenLimit> {
  const id = newId()
  let gateways = 1
  /** The database's clock less this process's. */
  let ahead = Date.now() - performance.now()
  const noteSelf = async () => {
    const noted = await noteGateway(db, id)
    gateways = noted.gateways
    ahead = noted.nowMs - performance.now()
  }
  await noteSelf().catch((error: unknown) => service.log.debug({ err: error }, 'other gateways are not known yet'))
  let notedAt = performance.now()
  startSweep(service, watch, 'gateways', async () => {
    const dueInMs = notedAt + heartbeatMs - performance.now()
    if (dueInMs > 0) return { took: 0, nextInMs: dueInMs }
    await noteSelf()
    notedAt = performance.now()
    return { took: 0, nextInMs: heartbeatMs }
  })
  const fellBack = service.metrics.counter(
    'herald_rate_limits_alone_total',
    'Requests counted by a share of a shared limit: the database was late.',
  )
  const ask = group<Portion, number>(
    async (asked) => {
      const sizes = new Map<string, number>()
      for (const { key, size } of asked) sizes.set(key, (sizes.get(key) ?? 0) + size)
      const used = await takePortions(
        db,
        [...sizes].map(([key, size]) => ({ key, size })),
      )
      return asked.map(({ key, size }) => {
        const before = used.get(key) ?? 0
        used.set(key, before + size)
        return before
      })
    },
    { limit: 500, maxWaiting: 5_000, full: queueUnavailable },
  )
  return (name, most) =>
    openShared(most, {
      patienceMs,
      clock: () => performance.now() + ahead,
      gateways: () => gateways,
      fellBack: () => fellBack.inc(),
      ask: (key, size) => ask({ key: `${name} ${key}`, size }),
    })
}

type Shared = {
  patienceMs: number
  clock: () => number
  gateways: () => number
  fellBack: () => void
  ask: (key: string, size: number) => Promise<number>
}
/**
 * What a gateway knows of a key in this minute: how many requests it was `granted`, has `used`, all gateways have taken (`takenByAll`, as last told),
 * and it judged `alone` by its share. `isLast`: nothing is left to take.
 */
type Known = { granted: number; used: number; takenByAll: number; alone: number; isLast: boolean; asking: Promise<void> | undefined }

function openShared(most: number, { patienceMs, clock, gateways, fellBack, ask }: Shared): Limit {
  const known = new Map<string, Known>()
  const portion = Math.max(1, Math.floor(most / portions))
  let minute = -1
  const knownOf = (key: string): Known => {
    const now = Math.floor(clock() / minuteMs)
    if (now !== minute) known.clear()
    minute = now
    const one = known.get(key) ?? { granted: 0, used: 0, takenByAll: 0, alone: 0, isLast: false, asking: undefined }
    // Deleting and setting moves the key to the end, so the map is in the order of last use.
    known.delete(key)
    known.set(key, one)
    const [oldest] = known.size > mostCounted ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return one
  }
  const allowance = (allowed: boolean, left: number): Allowance => {
    const now = clock()
    const resetSeconds = Math.ceil(((Math.floor(now / minuteMs) + 1) * minuteMs - now) / 1_000)
    return { allowed, limit: most, remaining: allowed ? Math.max(0, left) : 0, resetSeconds }
  }
  const isUsedUp = (one: Known) => (gateways() === 1 ? one.used >= most : one.isLast && one.used >= one.granted)
  /** Decides without the others, as far as possible: this gateway is alone, has some of its portion left, or knows that nothing is left. */
  const decide = (one: Known): Allowance | undefined => {
    if (isUsedUp(one)) return allowance(false, 0)
    const isAlone = gateways() === 1
    if (!isAlone && one.used >= one.granted) return undefined
    one.used += 1
    return allowance(true, isAlone ? most - one.used : most - one.takenByAll + one.granted - one.used)
  }
  const refill = async (key: string, one: Known) => {
    const before = await ask(key, portion)
    const granted = Math.min(portion, Math.max(0, most - before))
    one.granted += granted
    one.takenByAll = before + granted
    one.isLast = granted < portion
  }
  const takeLater = async (key: string, one: Known): Promise<Allowance> => {
    for (;;) {
      one.asking ??= refill(key, one).finally(() => {
        one.asking = undefined
      })
      if (!(await waitAtMost(patienceMs, succeeds(one.asking), () => false))) break
      const decided = decide(one)
      if (decided) return decided
    }
    fellBack()
    one.alone += 1
    const share = Math.ceil(most / gateways())
    return allowance(one.alone <= share, share - one.alone)
  }
  return {
    isOn: most > 0,
    take(key) {
      const one = knownOf(key)
      return decide(one) ?? takeLater(key, one)
    },
    look: (key) => allowance(!isUsedUp(knownOf(key)), most),
    giveBack(key) {
      const one = knownOf(key)
      if (one.used > 0) one.used -= 1
    },
  }
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )
