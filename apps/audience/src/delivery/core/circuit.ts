import { maxTries, type CircuitEnvironment, type RefusedLetter } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/**
 * What Herald remembers of an app's connection to a provider's environment (spec: providers/circuit, providers/guard-few). While a circuit is open,
 * only probes are sent on it and, while the provider is away, pushes with ttl 0.
 */
export type Circuit = {
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /**
   * Why the circuit is open; null while it is closed. Pushes that were held too long fail with this code. In an outage they are skipped as `expired`
   * instead, when their ttl ends.
   */
  code: FailureCode | null
  since: Date
  /** From when on the next probe may be made; null while the circuit is closed. */
  probeAt: Date | null
  /**
   * At most 200 answers of the provider, newest last, as letters of `FinishBatch` (contracts). A refused device stands once: its letter and its id's
   * last six characters. `u`, `p` and `a` stay only among the last 20.
   */
  answers: string
  /** How many probes in a row were refused since the circuit opened. */
  refusedProbes: number
  /**
   * The version of the credentials that were in use when the provider gave these answers. `answers` has none that were given to another
   * version.
   */
  credentialsVersion: number | null
}

const windowSize = 200
/**
 * Refused tokens are normal while they are fewer than `guardedFrom` of the last 200 answers, or less than the share `guardedShare` of those answers
 * that say something about the credentials. The refused tokens are then dead.
 */
const guardedFrom = 20
const guardedShare = 0.3
/** Refused tokens open the circuit only when none of the last 50 answers was a send. */
const answersWithoutSend = 50
const probeEveryMs = 30_000
/** A refused probe may have met a bad device. So this many devices are probed one right after the other before the circuit waits again. */
const probesInARow = 5
/**
 * A provider that is away may be back at any moment. So Herald probes it every 5 s at first (OUTAGE_PROBE_SECONDS sets another time), and a provider
 * that refuses the app's credentials every 30 s.
 */
export const outageProbeMs = 5_000
/**
 * The wait before the next probe is the time that the outage has lasted, divided by `outageProbeShare`: at least the first wait (5 s, the same for
 * the first 10 minutes), at most `outageProbeMost` times that wait (a minute).
 */
const outageProbeShare = 120
const outageProbeMost = 12
/**
 * When this many answers in a row all say that the provider is unavailable, the circuit opens because of an outage; fewer are enough in one case
 * (`outageFromExhausted`).
 */
const outageFrom = 20
/** A held batch that is not the next probe is pointed at again after this time, in case the probe is lost and the circuit stays open. */
const lookAgainMs = 30_000

const outageCodes: ReadonlySet<FailureCode | null> = new Set(['provider_unavailable', 'network_error', 'timeout'] as const)
/** Whether a circuit is open because the provider is away, and not because of the app's credentials. */
export const isOutage = ({ state, code }: Pick<Circuit, 'state' | 'code'>): boolean => state === 'open' && outageCodes.has(code)

const isNewer = (version: number | null, { credentialsVersion }: Circuit): boolean =>
  version !== null && (credentialsVersion === null || version > credentialsVersion)

/** Forgets the circuit's answers when the provider gave them to credentials older than `version`. */
const withCredentials = (circuit: Circuit, version: number | null): Circuit =>
  isNewer(version, circuit) ? { ...circuit, credentialsVersion: version, answers: '' } : circuit

/** Splits remembered answers into their entries. */
const entriesOf = (answers: string): string[] => answers.match(/[gtw][0-9a-f]{6}|[scupa]/g) ?? []

/** Leaves out the answers that the mass guard does not count: `u` (provider unavailable), `p` (message refused) and `a` (any other). */
const ofCredentials = (entries: readonly string[]): string[] => entries.filter((one) => !'upa'.includes(one))

/**
 * Appends new entries and keeps the last 200; a device that was refused before moves to the end. Of `u`, `p` and `a` only the last 20 answers stay:
 * an outage must not push out the mass guard's answers.
 */
function remember(answers: string, added: readonly string[]): string[] {
  // Nearly every circuit has accepted all of its last pushes, and so have its new ones.
  if (!/[^s]/.test(answers) && added.every((one) => one === 's'))
    return Array.from({ length: Math.min(answers.length + added.length, windowSize) }, () => 's')
  const last = new Map<string, number>()
  const all = [...entriesOf(answers), ...added]
  for (const [place, one] of all.entries()) if (one.length > 1) last.set(one, place)
  const distinct = all.filter((one, place) => one.length === 1 || last.get(one) === place)
  const recent = Math.max(0, distinct.length - outageFrom)
  return [...ofCredentials(distinct.slice(0, recent)), ...distinct.slice(recent)].slice(-windowSize)
}

/**
 * So many answers `u` in a row open the circuit when a push has used up its tries. It is twice the tries of a push, because one token may be the
 * reason for every `u` to that push.
 */
const outageFromExhausted = 2 * maxTries

/**
 * Whether the last 20 answers all say that the provider is unavailable. If a push has used up its tries, usually 80 s or longer, 10 are enough: an
 * available provider gives some push another answer in that time.
 */
const isAway = (entries: readonly string[], isExhausted: boolean): boolean => {
  const inARow = entries.length - 1 - entries.findLastIndex((one) => one !== 'u')
  return inARow >= outageFrom || (isExhausted && inARow >= outageFromExhausted)
}

/** Whether the circuit is closed and all of its last 200 answers are sends, so that one more send changes nothing. */
export const isHealthy = ({ state, answers }: Circuit): boolean => state === 'closed' && answers === 's'.repeat(windowSize)

/**
 * What the credentials met at a host. `accepted`: a device was accepted within the last hour. `before`: one earlier, which would still be sent to.
 * `refused`: all devices accepted before are refused now. `never`: none was accepted.
 */
export type Evidence = 'accepted' | 'before' | 'refused' | 'never'

/** A device that the provider refused. `device`: its id. */
export type RefusedDevice = { device: string; letter: RefusedLetter; host: string }

/** The answers that a finished batch got on a circuit. */
export type Heard = {
  letters: string
  /** The devices behind the letters `g`, `t` and `w`, in the same order. */
  refused: readonly RefusedDevice[]
  /** What the credentials met at a host. */
  evidence: (host: string) => Evidence
  code: FailureCode | null
  credentialsVersion: number | null
  /** Whether the batch was the circuit's probe. */
  probe: boolean
  /** Whether the provider called a token dead, which it does only when the credentials work. */
  foundDead: boolean
  /** Whether the provider was unavailable at the last try of a push. */
  exhausted: boolean
}

/**
 * What the refusal of a device means. `retry`: its push is tried again, because the device was not the reason. Otherwise the push fails; `dead` also
 * invalidates the device, `counted` only if this is its third campaign, `failed` never.
 */
export type RefusalMeaning = 'dead' | 'counted' | 'failed' | 'retry'
/** What a refusal means, and the code with which its push fails; null to keep the code that the provider's answer has. */
export type RefusalDecision = { meaning: RefusalMeaning; code: FailureCode | null }
export type CircuitChange = { circuit: Circuit; decisionOn: (letter: RefusedLetter, host: string) => RefusalDecision }

const retryAll = (): RefusalDecision => ({ meaning: 'retry', code: null })

/**
 * Gives the circuit after a batch's answers, and what its refused devices mean. Answers to older credentials change nothing. An open circuit closes
 * only by answers to a probe or to newer credentials.
 */
export function changeCircuit(before: Circuit, heard: Heard, now: Date, probeInMs = outageProbeMs): CircuitChange {
  const { letters, credentialsVersion } = heard
  const isOld = credentialsVersion !== null && before.credentialsVersion !== null && credentialsVersion < before.credentialsVersion
  if (isOld) return { circuit: before, decisionOn: retryAll }

  const known = withCredentials(before, credentialsVersion)
  const entries = remember(known.answers, entriesHeard(heard))
  const circuit = { ...known, answers: entries.join('') }
  if (circuit.state === 'closed') return changeClosedCircuit(circuit, entries, heard, now, probeInMs)

  // A push that was under way when the circuit opened proves nothing.
  const isProbe = heard.probe || isNewer(credentialsVersion, before)
  const [refusesCredentials, blamesCredentials, provesCredentials] = [/c/, /[gwc]/, /[spt]/].map((some) => some.test(letters))
  const isAnswered = /[^u]/.test(letters)
  const refusesTokensOnly = /^g+$/.test(letters)
  // Any answer but "unavailable" ends an outage. Another circuit closes when nothing refuses the credentials and something proves them, as a dead token
  // does that came without a blame. Refused tokens alone close only a circuit that opened with `credentials_invalid`.
  const works = isOutage(before)
    ? heard.foundDead || isAnswered
    : !refusesCredentials &&
      (provesCredentials || (heard.foundDead && !blamesCredentials) || (before.code === 'credentials_invalid' && refusesTokensOnly))
  if (isProbe && works) {
    const closed: Circuit = { ...circuit, state: 'closed', code: null, since: now, probeAt: null, refusedProbes: 0 }
    return changeClosedCircuit(closed, entries, heard, now, probeInMs)
  }
  if (!isProbe) return { circuit, decisionOn: retryAll }
  const code = isOutage(before) ? (letters === '' ? before.code : outageCodeOf(heard)) : blamesCredentials ? codeOf(heard) : before.code
  return { circuit: afterRefusedProbe({ ...circuit, code }, heard, now), decisionOn: retryAll }
}

/** After a probe whose device was refused, the next device is probed at once, up to five in a row. */
function afterRefusedProbe(circuit: Circuit, { letters }: Heard, now: Date): Circuit {
  if (isOutage(circuit) || letters.includes('c') || !/[gw]/.test(letters)) return circuit
  const refusedProbes = circuit.refusedProbes + 1
  return { ...circuit, refusedProbes, ...(refusedProbes % probesInARow !== 0 && { probeAt: now }) }
}

/** Gives the entries of a batch's answers: each letter of a refused device with the device. */
function entriesHeard({ letters, refused }: Heard): string[] {
  const next = { g: 0, t: 0, w: 0 }
  const of = Map.groupBy(refused, ({ letter }) => letter)
  return Array.from(letters, (letter) => {
    if (letter !== 'g' && letter !== 't' && letter !== 'w') return letter
    return letter + (of.get(letter)?.[next[letter]++]?.device ?? '').slice(-6).padStart(6, '0')
  })
}

function changeClosedCircuit(circuit: Circuit, entries: readonly string[], heard: Heard, now: Date, probeInMs: number): CircuitChange {
  const { letters, refused, evidence } = heard
  const opened = (code: FailureCode, inMs: number): CircuitChange => ({
    circuit: { ...circuit, state: 'open', code, since: now, probeAt: new Date(now.getTime() + inMs), refusedProbes: 0 },
    decisionOn: retryAll,
  })
  if (letters.includes('c')) return opened(codeOf(heard), probeEveryMs)
  const hostsOf = (letter: RefusedLetter) => new Set(refused.filter((one) => one.letter === letter).map(({ host }) => host))
  const isDoubtful = (host: string) => evidence(host) === 'refused' || evidence(host) === 'never'
  // A push service that refuses these credentials while another one takes them holds up its own devices only.
  const opensBy = (host: string) =>
    (evidence(host) === 'refused' && !letters.includes('s')) || (evidence(host) === 'never' && !entries.includes('s'))
  if ([...hostsOf('w')].some(opensBy)) return opened(codeOf(heard), probeEveryMs)
  if (letters.includes('u') && isAway(entries, heard.exhausted)) return opened(outageCodeOf(heard), probeInMs)

  const told = ofCredentials(entries)
  const count = told.filter((one) => one.startsWith('g') || one.startsWith('t')).length
  const isMany = count >= guardedFrom && count >= guardedShare * told.length
  if (isMany && [...hostsOf('g')].some(isDoubtful) && !told.slice(-answersWithoutSend).includes('s'))
    return opened(codeOf(heard), probeEveryMs)
  return {
    circuit,
    decisionOn(letter, host) {
      const isCounted = evidence(host) === 'accepted'
      if (letter === 'w') return { meaning: isCounted ? 'counted' : 'failed', code: evidence(host) === 'never' ? null : 'sender_mismatch' }
      // `t` may also mean that the project has lost its credentials for this platform, which no circuit would undo.
      return { meaning: isMany || letter === 't' ? (isCounted ? 'counted' : 'failed') : 'dead', code: null }
    },
  }
}

/**
 * Gives the code with which the circuit opens. A finish reports one code for all answers of its batch. When that code belongs to another answer than
 * the one that opens the circuit, the letters of the answers decide.
 */
const codeOf = ({ code, letters }: Heard): FailureCode =>
  code !== null && !outageCodes.has(code) ? code : /[cw]/.test(letters) ? 'credentials_invalid' : 'token_invalid'
const outageCodeOf = ({ code }: Heard): FailureCode => (code !== null && outageCodes.has(code) ? code : 'provider_unavailable')

/**
 * A batch that a dispatcher asks for while circuits of its app and platform are open. `places`: for each environment the place of the first device
 * that would be sent to there; null when they were not looked up.
 */
export type Waiting = {
  queuedAt: Date
  heldSince: Date | null
  ttlSeconds: number
  credentialsVersion: number | null
  places: Partial<Record<CircuitEnvironment, number>> | null
}

/**
 * What a dispatcher that asks for a batch gets. `probe`: only the device at `place` is sent to. `held`: nothing before `until`. `failed`, `expired`:
 * this outcome for every push; `expired` when its ttl ended while the provider was away.
 */
export type TakeDecision =
  | { is: 'granted' }
  | { is: 'probe'; environment: CircuitEnvironment; place: number }
  | { is: 'held'; until: Date }
  | { is: 'failed'; code: FailureCode }
  | { is: 'expired' }

/** Whether the circuit may be probed now: its wait is over, or the batch would be sent with newer credentials. */
const isProbeDue = (circuit: Circuit, version: number | null, now: Date): boolean =>
  isNewer(version, circuit) || circuit.probeAt === null || circuit.probeAt <= now

/**
 * Gives the indexes of the batches, all of one app and platform, whose `places` must be looked up: all while one of two environments has an open
 * circuit, and only the next probe while every environment has one.
 */
export function toLookUp(open: readonly Circuit[], batches: readonly Omit<Waiting, 'places'>[], isIos: boolean, now: Date): number[] {
  if (open.length === 0) return []
  if (open.length < (isIos ? 2 : 1)) return [...batches.keys()]
  const probe = batches.findIndex(
    ({ credentialsVersion, queuedAt, ttlSeconds }) =>
      (ttlSeconds === 0 || queuedAt.getTime() + ttlSeconds * 1000 > now.getTime()) &&
      open.some((circuit) => isProbeDue(circuit, credentialsVersion, now)),
  )
  return probe === -1 ? [] : [probe]
}

export type TakeRules = {
  now: Date
  /** For at most this long a batch is held while the provider refuses the app's credentials. In an outage a batch is held to the end of its ttl. */
  maxHoldSeconds: number
  outageProbeMs: number
  /** When the first held batch of this app and platform, apart from those asked for now, is pointed at again; null when there is no such batch. */
  nextLookAt: Date | null
}

/**
 * Decides what becomes of batches asked for while these circuits are open, and gives the changed circuits. Each circuit gets at most one probe. One
 * held batch comes back for the next probe; the others wait longer.
 */
export function decideTakes<C extends Circuit>(
  open: C[],
  batches: Waiting[],
  { now, maxHoldSeconds, outageProbeMs: probeInMs, nextLookAt }: TakeRules,
): { decisions: TakeDecision[]; circuits: C[] } {
  let circuits = open
  let isNextKnown = open.some(({ probeAt }) => nextLookAt !== null && probeAt !== null && nextLookAt <= probeAt)
  const decisions = batches.map((batch) => {
    const decision = decideTake(circuits, batch, now, maxHoldSeconds, isNextKnown)
    if (decision.is === 'held') isNextKnown ||= circuits.some(({ probeAt }) => probeAt !== null && decision.until >= probeAt)
    if (decision.is === 'probe') {
      circuits = circuits.map((circuit) => {
        if (circuit.environment !== decision.environment) return circuit
        const probeAt = new Date(now.getTime() + (isOutage(circuit) ? nextOutageProbe(circuit, now, probeInMs) : probeEveryMs))
        return { ...circuit, ...withCredentials(circuit, batch.credentialsVersion), probeAt }
      })
    }
    return decision
  })
  return { decisions, circuits }
}

const nextOutageProbe = ({ since }: Circuit, now: Date, probeInMs: number): number =>
  Math.min(Math.max((now.getTime() - since.getTime()) / outageProbeShare, probeInMs), outageProbeMost * probeInMs)

/**
 * Decides what becomes of one batch. Unless it becomes a probe, it is granted when some of its devices belong to an environment without an open
 * circuit. With ttl 0 it is never held.
 */
function decideTake(
  open: Circuit[],
  { places, queuedAt, heldSince, ttlSeconds, credentialsVersion }: Waiting,
  now: Date,
  maxHoldSeconds: number,
  isNextKnown: boolean,
): TakeDecision {
  const met = places ? open.filter(({ environment }) => places[environment] !== undefined) : open
  if (met.length === 0) return { is: 'granted' }

  const refusing = met.find((circuit) => !isOutage(circuit))
  const ttlEndsAt = queuedAt.getTime() + ttlSeconds * 1000
  // An outage holds a batch to the end of its ttl, refused credentials for at most `maxHoldSeconds` of it.
  const endsAt = refusing ? Math.min(ttlEndsAt, (heldSince ?? now).getTime() + maxHoldSeconds * 1000) : ttlEndsAt
  const isWhole = !places || met.length === Object.keys(places).length
  const isOver = isWhole && endsAt <= now.getTime()
  const due = met.find((circuit) => isProbeDue(circuit, credentialsVersion, now))
  const place = due && places?.[due.environment]
  // A batch with ttl 0 is over at once and may still be a probe. Otherwise nothing closes the circuit of an app that sends nothing else.
  if (due && place !== undefined && (!isOver || ttlSeconds === 0)) return { is: 'probe', environment: due.environment, place }
  if (!refusing && ttlSeconds === 0) return { is: 'granted' }
  if (isOver) return refusing ? { is: 'failed', code: refusing.code ?? 'credentials_invalid' } : { is: 'expired' }
  if (!isWhole) return { is: 'granted' }
  // When a probe is due now, another batch has become that probe: this batch waits at least a second.
  const probeAt = Math.max(now.getTime() + 1_000, Math.min(...met.map((circuit) => (circuit.probeAt ?? now).getTime())))
  return { is: 'held', until: new Date(Math.min(endsAt, isNextKnown ? Math.max(probeAt, now.getTime() + lookAgainMs) : probeAt)) }
}
