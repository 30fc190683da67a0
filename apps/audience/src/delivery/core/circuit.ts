import { maxTries, type CircuitEnvironment } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/**
 * What Herald remembers of an app's connection to a provider's environment (spec: providers/circuit, providers/guard-few). While a circuit is open,
 * only probes are sent on it and, while the provider is away, pushes with ttl 0.
 */
export type Circuit = {
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /** Why the circuit is open; null while it is closed. Unless that is an outage, pushes that were held too long fail with this code. */
  code: FailureCode | null
  since: Date
  /** From when on the next probe may be made; null while the circuit is closed. */
  probeAt: Date | null
  /**
   * The provider's answers that the circuit remembers: at most 200, newest last, one letter for each (`answers` in libs/contracts/src/batch.ts explains
   * the letters, and which answers get none). `u` and `a` are remembered only while they are among the last 20.
   */
  answers: string
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
/**
 * An answer `w` (credentials may be wrong) opens the circuit when none of the last 20 answers was a send. An answer `g` (token refused) does so when
 * none of the last 50 was a send and more tokens were refused than is normal.
 */
const answersWithoutSend = { g: 50, w: 20 }
const probeEveryMs = 30_000
/**
 * A provider that is away may be back at any moment. So Herald probes it every 5 s at first (OUTAGE_PROBE_SECONDS sets another time), and a provider
 * that refuses the app's credentials every 30 s.
 */
export const outageProbeMs = 5_000
/**
 * The wait before the next probe of an outage is the time that the outage has lasted, divided by `outageProbeShare`. It is at least the first wait
 * (5 s, so for the first 10 minutes it does not grow), and at most `outageProbeMost` times the first wait (a minute).
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

/** Leaves out the answers that the mass guard does not count: `u` (provider unavailable) and `a` (any other, such as a dead token). */
const ofCredentials = (letters: string): string => letters.replaceAll(/[ua]/g, '')

/**
 * Appends the new letters and keeps the last 200. Of `u` and `a` it keeps only those among the last 20 answers: an outage must not push out the
 * answers that the mass guard needs.
 */
function remember(answers: string, letters: string): string {
  const all = answers + letters
  const recent = Math.max(0, all.length - outageFrom)
  return (ofCredentials(all.slice(0, recent)) + all.slice(recent)).slice(-windowSize)
}

/**
 * When a push has used up its tries, this many answers `u` in a row are enough to open the circuit because of an outage. The number is twice the
 * tries of a push, because a token may be the reason for all answers `u` to a single push.
 */
const outageFromExhausted = 2 * maxTries

/**
 * Whether the last 20 answers all say that the provider is unavailable. If a push has used up its tries (`isExhausted`), the last 10 answers are
 * enough, because the tries of a push usually last 80 s or longer: a provider that is not away gives some other push another answer in that time.
 */
const isAway = (answers: string, isExhausted: boolean): boolean => {
  const inARow = answers.length - answers.replace(/u+$/, '').length
  return inARow >= outageFrom || (isExhausted && inARow >= outageFromExhausted)
}

/** Whether the circuit is closed and all of its last 200 answers are sends, so that one more send changes nothing. */
export const isHealthy = ({ state, answers }: Circuit): boolean => state === 'closed' && answers === 's'.repeat(windowSize)

/**
 * The answers that a finished batch got on a circuit. `probe`: the batch was the circuit's probe. `foundDead`: the provider called a token dead,
 * which it does only when the credentials work. `exhausted`: the provider was unavailable at the last try of a push.
 */
export type Heard = {
  letters: string
  code: FailureCode | null
  credentialsVersion: number | null
  probe: boolean
  foundDead: boolean
  exhausted: boolean
}

/**
 * What refused tokens mean. `dead`: the pushes fail and their devices are invalidated. `failed`: the pushes fail and the devices stay as they are.
 * `retry`: the pushes are tried again, because the tokens were not the reason.
 */
export type RefusalMeaning = 'dead' | 'failed' | 'retry'
export type CircuitChange = { circuit: Circuit; refusal: RefusalMeaning }

/**
 * Gives the circuit after a batch's answers, and what the batch's refused tokens mean. Answers to older credentials change nothing. An open circuit
 * closes only by the answers to a probe or to newer credentials: a push that was under way when the circuit opened proves nothing. A circuit that is
 * open because of an outage closes with any answer but "unavailable". A circuit that is open because of the app's credentials closes when a push is
 * sent and no answer says that the credentials are certainly wrong. If no answer says anything about the credentials, it closes when a token is
 * called dead.
 */
export function changeCircuit(before: Circuit, heard: Heard, now: Date, probeInMs = outageProbeMs): CircuitChange {
  const { letters, credentialsVersion } = heard
  const isOld = credentialsVersion !== null && before.credentialsVersion !== null && credentialsVersion < before.credentialsVersion
  if (isOld) return { circuit: before, refusal: 'retry' }

  const known = withCredentials(before, credentialsVersion)
  const circuit = { ...known, answers: remember(known.answers, letters) }
  if (circuit.state === 'closed') return changeClosedCircuit(circuit, heard, now, probeInMs)

  const isProbe = heard.probe || isNewer(credentialsVersion, before)
  const told = ofCredentials(letters)
  const works = isOutage(before)
    ? heard.foundDead || /[^u]/.test(letters)
    : told === ''
      ? heard.foundDead
      : told.includes('s') && !told.includes('c')
  if (isProbe && works)
    return changeClosedCircuit({ ...circuit, state: 'closed', code: null, since: now, probeAt: null }, heard, now, probeInMs)
  const code = isOutage(before) ? (letters === '' ? before.code : outageCodeOf(heard)) : told === '' ? before.code : codeOf(heard)
  return { circuit: isProbe ? { ...circuit, code } : circuit, refusal: 'retry' }
}

function changeClosedCircuit(circuit: Circuit, heard: Heard, now: Date, probeInMs: number): CircuitChange {
  const { letters } = heard
  const opened = (code: FailureCode, inMs: number): CircuitChange => ({
    circuit: { ...circuit, state: 'open', code, since: now, probeAt: new Date(now.getTime() + inMs) },
    refusal: 'retry',
  })
  const told = ofCredentials(circuit.answers)
  const noSendIn = (last: number) => !told.slice(-last).includes('s')
  if (letters.includes('c')) return opened(codeOf(heard), probeEveryMs)
  if (letters.includes('w') && noSendIn(answersWithoutSend.w)) return opened(codeOf(heard), probeEveryMs)
  if (letters.includes('u') && isAway(circuit.answers, heard.exhausted)) return opened(outageCodeOf(heard), probeInMs)

  const guarded = told.split('g').length - 1
  if (guarded < guardedFrom || guarded < guardedShare * told.length) return { circuit, refusal: 'dead' }
  if (letters.includes('g') && noSendIn(answersWithoutSend.g)) return opened(codeOf(heard), probeEveryMs)
  return { circuit, refusal: 'failed' }
}

/**
 * Gives the code with which the circuit opens. A finish reports one code for all answers of its batch. When that code belongs to another answer than
 * the one that opens the circuit, the letters of the answers decide.
 */
const codeOf = ({ code, letters }: Heard): FailureCode =>
  code !== null && !outageCodes.has(code) ? code : /[cw]/.test(letters) ? 'credentials_invalid' : 'token_invalid'
const outageCodeOf = ({ code }: Heard): FailureCode => (code !== null && outageCodes.has(code) ? code : 'provider_unavailable')

/**
 * A batch that a dispatcher asks for while circuits of its app and platform are open. `places`: for each environment, the place in the batch of the
 * first device that would be sent to there; null when the places were not looked up.
 */
export type Waiting = {
  queuedAt: Date
  heldSince: Date | null
  ttlSeconds: number
  credentialsVersion: number | null
  places: Partial<Record<CircuitEnvironment, number>> | null
}

/**
 * What a dispatcher that asks for a batch gets. `granted`: the batch, and on iOS which environments have an open circuit. `probe`: the batch, of
 * which only the device at `place` is sent to, in this environment. `held`: nothing before `until`. `failed` and `expired`: the batch with this
 * outcome for every push; `expired` when its ttl ended while the provider was away.
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
 * Gives the indexes of the batches, all of one app and platform, whose `places` must be looked up. While only one of two environments has
 * an open circuit, every batch needs its places. While every environment has an open circuit only the batch that becomes the probe needs
 * its places: the others are held anyway. When no circuit is open any more, no batch needs them.
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
 * Decides what becomes of batches that dispatchers ask for while these circuits of their app and platform are open, and gives the changed circuits.
 * At most one batch becomes the probe of each circuit; if the probe is lost, another batch becomes one later. One held batch comes back in time for
 * the next probe. The others wait longer, so that ten thousand of them do not come back every few seconds to be held again.
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
 * Decides what becomes of one batch. It is granted when none of its devices belongs to an environment with an open circuit. Otherwise it becomes the
 * probe of a circuit that may be probed now, unless its time is over. If it does not become a probe, it is granted when some of its devices belong to
 * another environment. Otherwise all its devices belong to environments with an open circuit. Then, while the provider is away, the batch is held to
 * the end of its ttl and ends as expired; with ttl 0 it is granted, for its one try. While the app's credentials are refused it is held for at most
 * `maxHoldSeconds`, never longer than its ttl, and then fails with the circuit's code. With ttl 0 it fails at once, but it may still become a probe:
 * otherwise nothing would ever close the circuit of an app that sends nothing else.
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
  const endsAt = refusing ? Math.min(ttlEndsAt, (heldSince ?? now).getTime() + maxHoldSeconds * 1000) : ttlEndsAt
  const isWhole = !places || met.length === Object.keys(places).length
  const isOver = isWhole && endsAt <= now.getTime()
  const due = met.find((circuit) => isProbeDue(circuit, credentialsVersion, now))
  const place = due && places?.[due.environment]
  if (due && place !== undefined && (!isOver || ttlSeconds === 0)) return { is: 'probe', environment: due.environment, place }
  if (!refusing && ttlSeconds === 0) return { is: 'granted' }
  if (isOver) return refusing ? { is: 'failed', code: refusing.code ?? 'credentials_invalid' } : { is: 'expired' }
  if (!isWhole) return { is: 'granted' }
  // When a probe is due now, another batch has become that probe: this batch waits at least a second.
  const probeAt = Math.max(now.getTime() + 1_000, Math.min(...met.map((circuit) => (circuit.probeAt ?? now).getTime())))
  return { is: 'held', until: new Date(Math.min(endsAt, isNextKnown ? Math.max(probeAt, now.getTime() + lookAgainMs) : probeAt)) }
}
