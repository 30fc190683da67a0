import { waitAtMost } from '@herald/service/wait-at-most'
import { LRUCache } from 'lru-cache'

/** At most this many hosts of push services are remembered, at about 200 bytes each. */
const mostHosts = 10_000
/**
 * For this long after its last answer a host counts as known, so a push to it needs no trial. A host that is closed meanwhile is no longer known.
 */
const provenForMs = 10 * 60_000
/**
 * A host that is known or trusted is closed after this many pushes in a row without an answer. Any other host is closed after a single one: the push
 * that tries it.
 */
const failuresToClose = 8
/**
 * A closed host gets no push for this long. Each time that the host is closed again, without an answer in between, the time is twice as long, up to
 * `longestClosedMs`.
 */
const closedMs = 5_000
const longestClosedMs = 60_000
/** While one push tries a new host, the other pushes to the host wait for the result, but no longer than this. */
const patienceMs = 2_000
/** At most this many new hosts are tried at once for an app. Trusted hosts (`isNamed`) do not count. */
const newHostsPerApp = 32

/**
 * Whether a push may be sent to its host. If it may, the caller calls `leave` in the end and says whether the host answered (undefined when it was
 * never asked). If not, there is a reason.
 */
export type Entry =
  | {
      is: 'entered'
      /** Whether this is the one push that tries a new host. */ isTrial: boolean
      leave(answered: boolean | undefined): void
    }
  | { is: 'refused'; reason: string }

type Host = {
  provenUntil: number
  closedUntil: number
  /** How many pushes in a row had no answer. */
  failures: number
  /** How many times in a row the host was closed, without an answer in between. */
  closures: number
  trial: { startedAt: number; ended: Promise<void> } | undefined
}

/**
 * What this process knows of push services' hosts. A host that does not answer gets no push for a while; one push tries a new host, few new ones at
 * once for an app. Refused pushes were not sent.
 */
export type PushHosts = {
  /**
   * Asks whether a push may be sent to its host. `isNamed`: the host is trusted (destination.ts of contracts), so no device can have made it up and
   * it needs no trial.
   */
  enter(about: { appId: string; host: string; isNamed: boolean }): Promise<Entry>
}

/** Makes the memory of hosts. `now` gives the milliseconds of a clock that never goes back. */
export function openPushHosts(now: () => number = () => performance.now()): PushHosts {
  const hosts = new LRUCache<string, Host>({ max: mostHosts })
  /** How many new hosts are being tried for each app. An app without trials has no entry. */
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
    // The host is closed already, so this push was under way when the host was closed. It does not close the host a second time.
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
        await waitAtMost(patience, host.trial.ended, () => undefined)
      }
    },
  }
}
