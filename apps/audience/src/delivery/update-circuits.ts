import { maxTries, spellAnswers, type FinishBatch } from '@herald/contracts/batch'
import type { Platform } from '@herald/contracts/platform'
import type { Log } from '@herald/service/log'
import type { Metrics } from '@herald/service/metrics'
import { LRUCache } from 'lru-cache'
import type { Db } from '../store/tables.ts'
import { changeCircuit, isHealthy, isOutage, outageProbeMs, type CircuitChange, type Evidence, type Heard } from './core/circuit.ts'
import { findMet, lockHosts, noteAccepted, noteRefused, type Accepted, type HostKey } from './store/accepted-devices.ts'
import { askForProbe, lockCircuits, nameOfCircuit, undoGuarded, writeCircuits, type CircuitKey, type CircuitRow } from './store/circuits.ts'
import type { FinishedRow } from './store/finished-batches.ts'
import { releaseHeld } from './store/held-batches.ts'

/** A finished batch: its row, and the finish, which is what the dispatcher reported about it. */
export type Finish = { row: FinishedRow; finish: FinishBatch }
/** What the refusals in a finish mean, by the name of the circuit on which they were made. */
export type Refusals = Map<string, { circuit: CircuitKey; decisionOn: CircuitChange['decisionOn'] }>
/**
 * What finished batches changed. `updated`: all circuits written, as they are now. `opened`, `closed`: those whose state changed. `probedAgain`:
 * those of which another device is probed at once. `open`: the names of the open ones.
 */
export type CircuitChanges = {
  refusals: Map<Finish, Refusals>
  updated: CircuitRow[]
  opened: CircuitRow[]
  closed: CircuitRow[]
  probedAgain: CircuitRow[]
  open: ReadonlySet<string>
}

/**
 * By circuit name: when this process last wrote sends to it, and with which version of the credentials. The time of an unhealthy circuit is minus
 * infinity, so that its next answers are always written.
 */
type Healthy = LRUCache<string, { credentialsVersion: number | null; notedAtMs: number }>
const noteEveryMs = 1_000

/** What a process remembers of circuits, and the function that logs and counts their changes. */
export type CircuitMemory = {
  readonly healthy: Healthy
  /** The first wait between probes of a provider that is away, in milliseconds. */
  readonly outageProbeMs: number
  /** Logs, counts and remembers the changes. Is called after they are committed. */
  tell(changes: CircuitChanges): void
}

const complainEveryMs = 60_000

const isRefusedText =
  'the provider refuses our credentials, pushes are held: fix the credentials; a probe is made every 30 s and at once when they change'
const isAwayText =
  'the provider is away, pushes wait within their ttl and one at a time is tried: look at the network and at the provider’s status page'

export function rememberCircuits({ log, metrics }: { log: Log; metrics: Metrics }, probeInMs = outageProbeMs): CircuitMemory {
  const healthy: Healthy = new LRUCache({ max: 5_000 })
  const complainedAtMs = new LRUCache<string, number>({ max: 5_000 })
  const guarded = metrics.counter(
    'herald_guarded_total',
    'Pushes whose token the provider refused and that the mass guard examined, by what the guard decided.',
    ['platform', 'verdict'],
  )

  return {
    healthy,
    outageProbeMs: probeInMs,
    tell({ refusals, updated, opened, closed }) {
      for (const row of updated) {
        const notedAtMs = isHealthy(row) ? performance.now() : Number.NEGATIVE_INFINITY
        healthy.set(nameOfCircuit(row), { credentialsVersion: row.credentialsVersion, notedAtMs })
      }
      for (const row of opened) {
        const { appId, platform, environment, code } = row
        log.error({ appId, platform, environment, code }, isOutage(row) ? isAwayText : isRefusedText)
      }
      for (const { appId, platform, environment } of closed) log.info({ appId, platform, environment }, 'the provider accepts pushes again')
      for (const [{ finish, row }, of] of refusals)
        for (const { environment, letter, host } of finish.guarded) {
          const circuit = { appId: row.appId, platform: row.platform, environment }
          const name = nameOfCircuit(circuit)
          const meaning = of.get(name)?.decisionOn(letter, host).meaning ?? 'failed'
          guarded.inc({ platform: circuit.platform, verdict: meaning })
          if (meaning !== 'failed' || performance.now() - (complainedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < complainEveryMs) continue
          complainedAtMs.set(name, performance.now())
          const { appId, platform } = circuit
          log.error(
            { appId, platform, environment },
            'many tokens are refused: their pushes fail and no device is invalidated; check whether tokens and credentials belong to the same app',
          )
        }
    },
  }
}

/**
 * Updates the circuits from the answers in finished batches, in the order of the finishes (spec: providers/circuit, providers/guard-many). Sends on a
 * healthy circuit are written once a second; in between they cost no statement.
 */
export async function updateCircuits(
  db: Db,
  { healthy, outageProbeMs: probeInMs }: Pick<CircuitMemory, 'healthy' | 'outageProbeMs'>,
  finishes: Finish[],
): Promise<CircuitChanges> {
  const changes: CircuitChanges = { refusals: new Map(), updated: [], opened: [], closed: [], probedAgain: [], open: new Set() }
  const all = finishes.flatMap(answersByCircuit)
  const keys = new Map(all.filter((one) => isNews(one, healthy)).map(({ circuit }) => [nameOfCircuit(circuit), circuit]))
  if (keys.size === 0) {
    await noteAll(db, finishes)
    return changes
  }

  const before = new Map((await lockCircuits(db, [...keys.values()])).map((row) => [nameOfCircuit(row), row]))
  const evidence = await findEvidence(db, finishes)
  const after = new Map(before)
  for (const { finish, circuit: key, heard } of all) {
    const name = nameOfCircuit(key)
    const known = after.get(name)
    if (!known) continue
    const { circuit, decisionOn } = changeCircuit(
      known,
      { ...heard, evidence: (host) => evidence(key, host, heard.credentialsVersion) },
      known.now,
      probeInMs,
    )
    after.set(name, { ...known, ...circuit })
    if (heard.refused.length === 0) continue
    const of: Refusals = changes.refusals.get(finish) ?? new Map()
    changes.refusals.set(finish, of.set(name, { circuit: key, decisionOn }))
  }

  changes.updated = [...after.values()]
  changes.probedAgain = [...after.values()].filter(
    ({ state, refusedProbes, probeAt, now }) => state === 'open' && refusedProbes > 0 && probeAt === now,
  )
  changes.open = new Set(changes.updated.filter(({ state }) => state === 'open').map(nameOfCircuit))
  await writeCircuits(db, changes.updated)
  for (const row of changes.updated) {
    if (row.state === before.get(nameOfCircuit(row))?.state) continue
    changes[row.state === 'open' ? 'opened' : 'closed'].push(row)
    // An outage says nothing about tokens, so it undoes no invalidation.
    if (row.state === 'open' && !isOutage(row)) await undoInvalidations(db, changes, row)
  }
  return changes
}

/**
 * Writes which devices were accepted, and finds what the credentials met at the hosts that refused a device.
 */
async function findEvidence(
  db: Db,
  finishes: Finish[],
): Promise<(circuit: CircuitKey, host: string, credentialsVersion: number | null) => Evidence> {
  const refused = new Map<string, HostKey & { devices: string[] }>()
  for (const { row, finish } of finishes) {
    for (const { environment, host, subscriptionId } of finish.refused) {
      const key = { appId: row.appId, platform: row.platform, environment, host }
      const known = refused.get(nameOfHost(key)) ?? { ...key, devices: [] }
      refused.set(nameOfHost(key), known)
      known.devices.push(subscriptionId)
    }
  }
  const accepted = acceptedIn(finishes)
  if (refused.size > 0) await lockHosts(db, [...accepted.values(), ...refused.values()])
  await noteAll(db, finishes)
  if (refused.size === 0) return () => 'never'
  // A host that accepts some of these pushes takes the credentials, whomever it refuses.
  await noteRefused(
    db,
    [...refused.values()].filter((host) => !accepted.has(nameOfHost(host))),
  )
  const met = new Map((await findMet(db, [...refused.values()])).map((one) => [nameOfHost(one), one]))
  return (circuit, host, credentialsVersion) => {
    const known = met.get(nameOfHost({ ...circuit, host }))
    if (!known || known.credentialsVersion !== credentialsVersion) return 'never'
    if (known.isRefused) return 'refused'
    if (known.isFresh) return 'accepted'
    return known.devices.length > 0 ? 'before' : 'never'
  }
}

const nameOfHost = ({ host, ...circuit }: HostKey): string => `${nameOfCircuit(circuit)} ${host}`

/** Gives which devices were accepted, one for each host, by the name of the host. */
const acceptedIn = (finishes: Finish[]): Map<string, Accepted> =>
  new Map(
    finishes.flatMap(({ row: { appId, platform }, finish: { accepted, credentialsVersion } }) =>
      accepted.map((one): [string, Accepted] => {
        const noted = { appId, platform, credentialsVersion, ...one }
        return [nameOfHost(noted), noted]
      }),
    ),
  )

async function noteAll(db: Db, finishes: Finish[]): Promise<void> {
  const accepted = acceptedIn(finishes)
  if (accepted.size > 0) await noteAccepted(db, [...accepted.values()])
}

/**
 * Undoes invalidations on a circuit that has opened, because the devices were not the reason. Devices that the mass guard let be invalidated are
 * reachable again (limits: `undoGuarded`), and pushes of these finishes are tried again.
 */
async function undoInvalidations(db: Db, { refusals }: CircuitChanges, opened: CircuitKey): Promise<void> {
  const name = nameOfCircuit(opened)
  for (const of of refusals.values()) {
    const known = of.get(name)
    if (known) of.set(name, { ...known, decisionOn: () => ({ meaning: 'retry', code: null }) })
  }
  await undoGuarded(db, opened)
}

/** Whether these finishes hold an answer that must be written to a circuit now. */
export const isAnythingNew = ({ healthy }: Pick<CircuitMemory, 'healthy'>, finishes: Finish[]): boolean =>
  finishes.some((one) => one.finish.accepted.length > 0 || answersByCircuit(one).some((answers) => isNews(answers, healthy)))

type HeardOn = { finish: Finish; circuit: CircuitKey; heard: Omit<Heard, 'evidence'> }

/**
 * Gives the answers in a finish, by circuit. A probed circuit has an entry even without an answer: the provider may have called a token dead, which
 * proves as much as a send.
 */
function answersByCircuit(one: Finish): HeardOn[] {
  const { row, finish } = one
  const answers = finish.answers.filter(({ seen }) => seen !== '')
  const isSilent = row.probes !== null && answers.every(({ environment }) => environment !== row.probes)
  return [...answers, ...(isSilent && row.probes !== null ? [{ environment: row.probes, seen: '', code: null }] : [])].map(
    ({ environment, seen, code }) => ({
      finish: one,
      circuit: { appId: row.appId, platform: row.platform, environment },
      heard: {
        letters: spellAnswers(seen),
        refused: finish.refused
          .filter((device) => device.environment === environment)
          .map(({ subscriptionId, letter, host }) => ({ device: subscriptionId, letter, host })),
        code,
        credentialsVersion: finish.credentialsVersion,
        probe: row.probes === environment,
        foundDead: finish.dead.length > 0,
        exhausted: finish.unavailable.some((push) => push.environment === environment && push.tries >= maxTries),
      },
    }),
  )
}

function isNews({ circuit, heard }: HeardOn, healthy: Healthy): boolean {
  if (heard.probe || /[^s]/.test(heard.letters)) return true
  const known = healthy.get(nameOfCircuit(circuit))
  return known?.credentialsVersion !== heard.credentialsVersion || performance.now() - known.notedAtMs >= noteEveryMs
}

/**
 * Lets each open circuit of an app (on one platform; null: on all) make a probe now, and answers how many are open. Releases at most 500 held
 * batches; those that a circuit still stops are held again.
 */
export async function probeCircuits(
  { db, poke }: { db: Db; poke: () => void },
  asked: { appId: string; platform: Platform | null },
): Promise<{ open: number }> {
  const open = await askForProbe(db, asked)
  if (open > 0 && (await releaseHeld(db, asked)) > 0) poke()
  return { open }
}
