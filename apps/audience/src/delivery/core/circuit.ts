import { maxTries, type CircuitEnvironment } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/** What is known of an app's way to a provider (spec: providers/circuit, providers/guard-few). Open: nothing but probes goes out on it. */
export type Circuit = {
  environment: CircuitEnvironment
  state: 'closed' | 'open'
  /** Why it is open: what pushes held too long end with. */
  code: FailureCode | null
  since: Date
  /** When the next probe may be made; null when closed. */
  probeAt: Date | null
  /** The last 200 answers, newest last, a letter each (contracts' FinishBatch). */
  answers: string
  /** The credentials it speaks of; of others it knows nothing. */
  credentialsVersion: number | null
}

const windowSize = 200
/** Fewer refused tokens than this, or a smaller share of the window, is what an app's devices do: its tokens are dead. */
const guardedFrom = 20
const guardedShare = 0.3
/** An answer `g` or `w` speaks of our credentials when none of so many last answers was a send. */
const answersWithoutSend = { g: 50, w: 20 }
const probeEveryMs = 30_000
/** A provider that is away may be back any moment: it is asked more often than one that refuses our credentials. */
export const outageProbeMs = 5_000
/** An outage that lasts is probed less often, after a 120th of its time (10 minutes: 5 s), at most 12 times the first wait (a minute). */
const outageProbeShare = 120
const outageProbeMost = 12
/** So many answers in a row, none of them but that the provider is unavailable, are an outage. */
const outageFrom = 20
/** A held batch that is not the next probe looks again after this, in case the probe dies; the circuit's closing releases it at once. */
const lookAgainMs = 30_000

const outageCodes: ReadonlySet<FailureCode | null> = new Set(['provider_unavailable', 'network_error', 'timeout'] as const)
/** The provider is away, and our credentials have nothing to do with it. */
export const isOutage = ({ state, code }: Pick<Circuit, 'state' | 'code'>): boolean => state === 'open' && outageCodes.has(code)

const isNewer = (version: number | null, { credentialsVersion }: Circuit): boolean =>
  version !== null && (credentialsVersion === null || version > credentialsVersion)

/** What other credentials were told is forgotten. */
const withCredentials = (circuit: Circuit, version: number | null): Circuit =>
  isNewer(version, circuit) ? { ...circuit, credentialsVersion: version, answers: '' } : circuit

/** What says something of our credentials. */
const ofCredentials = (letters: string): string => letters.replaceAll(/[ua]/g, '')

/** `u` and `a` speak of the moment, so they are kept among the last 20 only: an outage must not push out what the mass guard judges by. */
function remember(answers: string, letters: string): string {
  const all = answers + letters
  const recent = Math.max(0, all.length - outageFrom)
  return (ofCredentials(all.slice(0, recent)) + all.slice(recent)).slice(-windowSize)
}

/** So many in a row are enough when a push has used up its tries on them: more than the tries of one device, whose token may be the reason. */
const outageFromExhausted = 2 * maxTries

/**
 * The last answers are all that the provider is unavailable: 20 of them, or 10 when a push has used up its tries on them, which takes 80 s
 * or more without another answer. A provider that answers others meanwhile is not away.
 */
const isAway = (answers: string, isExhausted: boolean): boolean => {
  const inARow = answers.length - answers.replace(/u+$/, '').length
  return inARow >= outageFrom || (isExhausted && inARow >= outageFromExhausted)
}

/** The window holds nothing but sends: another one changes nothing. */
export const isHealthy = ({ state, answers }: Circuit): boolean => state === 'closed' && answers === 's'.repeat(windowSize)

/**
 * What a finished batch heard on a circuit. `probe`: it was the circuit's probe; `foundDead`: a token was called dead, which takes working
 * credentials; `exhausted`: a push was unavailable at its last try.
 */
export type Heard = {
  letters: string
  code: FailureCode | null
  credentialsVersion: number | null
  probe: boolean
  foundDead: boolean
  exhausted: boolean
}

/** What becomes of refused tokens: invalidated, failed without that, or tried again, because it was not they that were wrong. */
export type Verdict = 'dead' | 'failed' | 'retry'
type Judged = { circuit: Circuit; verdict: Verdict }

/**
 * The circuit after a batch's answers, and what the batch's refused tokens come to. Answers to older credentials say nothing.
 * Only a probe, or newer credentials, closes an open circuit: a send that was under way when it opened is no news. An outage is over
 * with any other answer of the provider; wrong credentials are right again with a send or a token called dead.
 */
export function judge(before: Circuit, heard: Heard, now: Date, probeInMs = outageProbeMs): Judged {
  const { letters, credentialsVersion } = heard
  const isOld = credentialsVersion !== null && before.credentialsVersion !== null && credentialsVersion < before.credentialsVersion
  if (isOld) return { circuit: before, verdict: 'retry' }

  const known = withCredentials(before, credentialsVersion)
  const circuit = { ...known, answers: remember(known.answers, letters) }
  if (circuit.state === 'closed') return judgeClosed(circuit, heard, now, probeInMs)

  const isProbe = heard.probe || isNewer(credentialsVersion, before)
  const told = ofCredentials(letters)
  const works = isOutage(before)
    ? heard.foundDead || /[^u]/.test(letters)
    : told === ''
      ? heard.foundDead
      : told.includes('s') && !told.includes('c')
  if (isProbe && works) return judgeClosed({ ...circuit, state: 'closed', code: null, since: now, probeAt: null }, heard, now, probeInMs)
  const code = isOutage(before) ? (letters === '' ? before.code : outageCodeOf(heard)) : told === '' ? before.code : codeOf(heard)
  return { circuit: isProbe ? { ...circuit, code } : circuit, verdict: 'retry' }
}

function judgeClosed(circuit: Circuit, heard: Heard, now: Date, probeInMs: number): Judged {
  const { letters } = heard
  const opened = (code: FailureCode, inMs: number): Judged => ({
    circuit: { ...circuit, state: 'open', code, since: now, probeAt: new Date(now.getTime() + inMs) },
    verdict: 'retry',
  })
  const told = ofCredentials(circuit.answers)
  const noSendIn = (last: number) => !told.slice(-last).includes('s')
  if (letters.includes('c')) return opened(codeOf(heard), probeEveryMs)
  if (letters.includes('w') && noSendIn(answersWithoutSend.w)) return opened(codeOf(heard), probeEveryMs)
  if (letters.includes('u') && isAway(circuit.answers, heard.exhausted)) return opened(outageCodeOf(heard), probeInMs)

  const guarded = told.split('g').length - 1
  if (guarded < guardedFrom || guarded < guardedShare * told.length) return { circuit, verdict: 'dead' }
  if (letters.includes('g') && noSendIn(answersWithoutSend.g)) return opened(codeOf(heard), probeEveryMs)
  return { circuit, verdict: 'failed' }
}

/** The code of a batch may be that of another letter in it. */
const codeOf = ({ code, letters }: Heard): FailureCode =>
  code !== null && !outageCodes.has(code) ? code : /[cw]/.test(letters) ? 'credentials_invalid' : 'token_invalid'
const outageCodeOf = ({ code }: Heard): FailureCode => (code !== null && outageCodes.has(code) ? code : 'provider_unavailable')

/** A free batch that meets open circuits. `places`: of the first device that would be asked in each environment; null: not looked up. */
export type Waiting = {
  queuedAt: Date
  heldSince: Date | null
  ttlSeconds: number
  credentialsVersion: number | null
  places: Partial<Record<CircuitEnvironment, number>> | null
}

/**
 * `granted`: some of its devices, or none, meet an open circuit; the dispatcher hears which environments are held. `probe`: the
 * device at `place` is asked in this environment, and only it. `expired`: its ttl ended while the provider was away.
 */
export type Admission =
  | { is: 'granted' }
  | { is: 'probe'; environment: CircuitEnvironment; place: number }
  | { is: 'held'; until: Date }
  | { is: 'failed'; code: FailureCode }
  | { is: 'expired' }

/** It is time to probe: the wait for it is over, or there are new credentials. */
const isProbeDue = (circuit: Circuit, version: number | null, now: Date): boolean =>
  isNewer(version, circuit) || circuit.probeAt === null || circuit.probeAt <= now

/**
 * Of which of these batches of one app and platform `places` are needed, by index: of all when one of two environments is closed to pushes;
 * when all are, they are held anyway, and only the one that becomes the probe needs them; of none when no circuit is open any more.
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

export type Admitting = {
  now: Date
  /** Held at most so long while our credentials are refused; an outage ends with the ttl. */
  maxHoldSeconds: number
  outageProbeMs: number
  /** When the first of the other held batches of this app and platform looks again; null: there is none. */
  nextLookAt: Date | null
}

/**
 * Which batches go out while these circuits of their app and platform are open, and the circuits after it: one batch at most
 * becomes the probe of each, and should that die, another follows. One held batch waits for the next probe; the others sleep
 * longer, so that ten thousand of them do not come back every few seconds to be held again.
 */
export function admit<C extends Circuit>(
  open: C[],
  batches: Waiting[],
  { now, maxHoldSeconds, outageProbeMs: probeInMs, nextLookAt }: Admitting,
): { admissions: Admission[]; circuits: C[] } {
  let circuits = open
  let isNextKnown = open.some(({ probeAt }) => nextLookAt !== null && probeAt !== null && nextLookAt <= probeAt)
  const admissions = batches.map((batch) => {
    const admission = admitOne(circuits, batch, now, maxHoldSeconds, isNextKnown)
    if (admission.is === 'held') isNextKnown ||= circuits.some(({ probeAt }) => probeAt !== null && admission.until >= probeAt)
    if (admission.is === 'probe') {
      circuits = circuits.map((circuit) => {
        if (circuit.environment !== admission.environment) return circuit
        const probeAt = new Date(now.getTime() + (isOutage(circuit) ? nextOutageProbe(circuit, now, probeInMs) : probeEveryMs))
        return { ...circuit, ...withCredentials(circuit, batch.credentialsVersion), probeAt }
      })
    }
    return admission
  })
  return { admissions, circuits }
}

const nextOutageProbe = ({ since }: Circuit, now: Date, probeInMs: number): number =>
  Math.min(Math.max((now.getTime() - since.getTime()) / outageProbeShare, probeInMs), outageProbeMost * probeInMs)

/**
 * Held at most for the ttl. While the provider is away that is all: then it is skipped as expired, and with ttl 0 it goes out for its one
 * try. While our credentials are refused it is held for `maxHoldSeconds` at most and fails with the circuit's code; with ttl 0 that is at
 * once: it goes out only when it may be the probe, or nothing would ever close the circuit of an app that sends nothing else.
 */
function admitOne(
  open: Circuit[],
  { places, queuedAt, heldSince, ttlSeconds, credentialsVersion }: Waiting,
  now: Date,
  maxHoldSeconds: number,
  isNextKnown: boolean,
): Admission {
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
  // A probe that is due is another's: not before a second has passed.
  const probeAt = Math.max(now.getTime() + 1_000, Math.min(...met.map((circuit) => (circuit.probeAt ?? now).getTime())))
  return { is: 'held', until: new Date(Math.min(endsAt, isNextKnown ? Math.max(probeAt, now.getTime() + lookAgainMs) : probeAt)) }
}
