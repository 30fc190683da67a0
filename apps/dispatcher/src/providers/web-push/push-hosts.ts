import { LRUCache } from 'lru-cache'

/** Hosts of push services remembered; about 200 bytes each. */
const mostHosts = 10_000
/** A host that has answered is trusted for so long after its last answer. */
const provenForMs = 10 * 60_000
/** So many pushes without an answer in between close a host that has answered before. A new one is closed by its first. */
const failuresToClose = 8
/** A closed host is not asked for so long; twice as long each time that it fails again, up to a minute. */
const closedMs = 5_000
const longestClosedMs = 60_000
/** Pushes to a host that is being tried for the first time wait for what comes of it, but not longer. */
const patienceMs = 2_000
/** Hosts that an app may have tried for the first time at once, among those that the operator does not name. */
const newHostsPerApp = 32

/** A push may go, and says at its end whether its host answered (undefined: it was never asked); or it may not, for the reason given. */
export type Entry =
  | { is: 'entered'; /** It is the one push that tries a new host. */ isTrial: boolean; leave(answered: boolean | undefined): void }
  | { is: 'refused'; reason: string }

type Host = {
  provenUntil: number
  closedUntil: number
  /** Pushes without an answer, one after another. */
  failures: number
  /** Times that it was closed without an answer in between. */
  closures: number
  trial: { startedAt: number; ended: Promise<void> } | undefined
}

/**
 * The hosts of push services, as this process has found them. Anybody may register an endpoint, so one app's dead or slow hosts must
 * cost their own devices only: a host that does not answer is left alone for a while, one that was never heard of is tried by a single
 * push, and an app tries only so many new ones at once. Refused pushes were not sent and may be tried again later.
 */
export type PushHosts = {
  /** `isNamed`: the operator or the list of known push services names the host, so it is nobody's invention and needs no trial. */
  enter(about: { appId: string; host: string; isNamed: boolean }): Promise<Entry>
}

/** `now` answers milliseconds of a clock that never goes back. */
export function openPushHosts(now: () => number = () => performance.now()): PushHosts {
  const hosts = new LRUCache<string, Host>({ max: mostHosts })
  /** New hosts in trial, by app; an app without any is not in it. */
  const trials = new Map<string, number>()

  const hostNamed = (name: string): Host => {
    const known = hosts.get(name)
    if (known) return known
    const fresh: Host = { provenUntil: 0, closedUntil: 0, failures: 0, closures: 0, trial: undefined }
    hosts.set(name, fresh)
    return fresh
  }

  const learn = (host: Host, answered: boolean | undefined, mayClose: (failures: number) => boolean): void => {
    if (answered === undefined) return
    if (answered) {
      Object.assign(host, { provenUntil: now() + provenForMs, closedUntil: 0, failures: 0, closures: 0 })
      return
    }
    host.failures += 1
    // What was under way when it was closed says the same once more.
    if (now() < host.closedUntil || !mayClose(host.failures)) return
    const forMs = Math.min(longestClosedMs, closedMs * 2 ** host.closures)
    Object.assign(host, { provenUntil: 0, closedUntil: now() + forMs, failures: 0, closures: host.closures + 1 })
  }

  const tryHost = (appId: string, host: Host): Entry => {
    const running = trials.get(appId) ?? 0
    if (running >= newHostsPerApp) return { is: 'refused', reason: 'too many new hosts' }
    trials.set(appId, running + 1)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    host.trial = { startedAt: now(), ended }
    return {
      is: 'entered',
      isTrial: true,
      leave(answered) {
        const left = (trials.get(appId) ?? 1) - 1
        if (left > 0) trials.set(appId, left)
        else trials.delete(appId)
        host.trial = undefined
        learn(host, answered, () => true)
        end()
      },
    }
  }

  return {
    async enter({ appId, host: name, isNamed }) {
      const host = hostNamed(name)
      for (const enteredAt = now(); ;) {
        if (now() < host.closedUntil) return { is: 'refused', reason: 'host does not answer' }
        if (isNamed || now() < host.provenUntil) {
          return { is: 'entered', isTrial: false, leave: (answered) => learn(host, answered, (failures) => failures >= failuresToClose) }
        }
        if (!host.trial) return tryHost(appId, host)
        const patience = patienceMs - Math.max(now() - host.trial.startedAt, now() - enteredAt)
        if (patience <= 0) return { is: 'refused', reason: 'host is slow' }
        await endsWithin(host.trial.ended, patience)
      }
    },
  }
}

async function endsWithin(ended: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([ended, late.promise])
  clearTimeout(timer)
}
