import type { CircuitEnvironment } from '@herald/contracts/batch'
import type { FailureCode } from '@herald/contracts/outcome'

/** What is known of an app's way to a provider (providers.md, Breaker and Mass guard). Open: nothing but probes goes out on it. */
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

const isNewer = (version: number | null, { credentialsVersion }: Circuit): boolean =>
  version !== null && (credentialsVersion === null || version > credentialsVersion)

/** What other credentials were told is forgotten. */
const withCredentials = (circuit: Circuit, version: number | null): Circuit =>
  isNewer(version, circuit) ? { ...circuit, credentialsVersion: version, answers: '' } : circuit

/** The window holds nothing but sends: another one changes nothing. */
export const isHealthy = ({ state, answers }: Circuit): boolean => state === 'closed' && answers === 's'.repeat(windowSize)

/** What a finished batch heard on a circuit. `probe`: it was the circuit's probe; `foundDead`: a token was called dead, which takes working credentials. */
export type Heard = { letters: string; code: FailureCode | null; credentialsVersion: number | null; probe: boolean; foundDead: boolean }

/** What becomes of refused tokens: invalidated, failed without that, or tried again, because it was not they that were wrong. */
export type Verdict = 'dead' | 'failed' | 'retry'

/**
 * The circuit after a batch's answers, and what the batch's refused tokens come to. Answers to older credentials say nothing.
 * Only a probe, or newer credentials, closes an open circuit: a send that was under way when it opened is no news.
 */
export function judge(before: Circuit, heard: Heard, now: Date): { circuit: Circuit; verdict: Verdict } {
  const { letters, credentialsVersion } = heard
  const isOld = credentialsVersion !== null && before.credentialsVersion !== null && credentialsVersion < before.credentialsVersion
  if (isOld) return { circuit: before, verdict: 'retry' }

  const known = withCredentials(before, credentialsVersion)
  const circuit = { ...known, answers: (known.answers + letters).slice(-windowSize) }
  if (circuit.state === 'closed') return judgeClosed(circuit, heard, now)

  const isProbe = heard.probe || isNewer(credentialsVersion, before)
  const works = letters === '' ? heard.foundDead : letters.includes('s') && !letters.includes('c')
  if (isProbe && works) return judgeClosed({ ...circuit, state: 'closed', code: null, since: now, probeAt: null }, heard, now)
  return { circuit: isProbe && letters !== '' ? { ...circuit, code: codeOf(heard) } : circuit, verdict: 'retry' }
}

function judgeClosed(circuit: Circuit, heard: Heard, now: Date): { circuit: Circuit; verdict: Verdict } {
  const { letters } = heard
  const opened: Circuit = { ...circuit, state: 'open', code: codeOf(heard), since: now, probeAt: new Date(now.getTime() + probeEveryMs) }
  const noSendIn = (last: number) => !circuit.answers.slice(-last).includes('s')
  if (letters.includes('c')) return { circuit: opened, verdict: 'retry' }
  if (letters.includes('w') && noSendIn(answersWithoutSend.w)) return { circuit: opened, verdict: 'retry' }

  const guarded = circuit.answers.split('g').length - 1
  if (guarded < guardedFrom || guarded < guardedShare * circuit.answers.length) return { circuit, verdict: 'dead' }
  if (letters.includes('g') && noSendIn(answersWithoutSend.g)) return { circuit: opened, verdict: 'retry' }
  return { circuit, verdict: 'failed' }
}

const codeOf = ({ code, letters }: Heard): FailureCode => code ?? (/[cw]/.test(letters) ? 'credentials_invalid' : 'token_invalid')

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
 * device at `place` is asked in this environment, and only it.
 */
export type Admission =
  | { is: 'granted' }
  | { is: 'probe'; environment: CircuitEnvironment; place: number }
  | { is: 'held'; until: Date }
  | { is: 'failed'; code: FailureCode }

/** It is time to probe: 30 s have passed, or there are new credentials. */
export const isProbeDue = (circuit: Circuit, version: number | null, now: Date): boolean =>
  isNewer(version, circuit) || circuit.probeAt === null || circuit.probeAt <= now

/**
 * Which batches go out while these circuits of their app and platform are open, and the circuits after it: one batch at most
 * becomes the probe of each, and should that die, the next one follows in 30 s.
 */
export function admit<C extends Circuit>(
  open: C[],
  batches: Waiting[],
  now: Date,
  maxHoldSeconds: number,
): { admissions: Admission[]; circuits: C[] } {
  let circuits = open
  const admissions = batches.map((batch) => {
    const admission = admitOne(circuits, batch, now, maxHoldSeconds)
    if (admission.is === 'probe') {
      const probeAt = new Date(now.getTime() + probeEveryMs)
      circuits = circuits.map((circuit) =>
        circuit.environment === admission.environment
          ? { ...circuit, ...withCredentials(circuit, batch.credentialsVersion), probeAt }
          : circuit,
      )
    }
    return admission
  })
  return { admissions, circuits }
}

/**
 * Held until the next probe, and at most for the ttl or `maxHoldSeconds`; then it fails with the circuit's code. With ttl 0
 * that is at once: it goes out only when it may be the probe, or nothing would ever close the circuit of an app that sends
 * nothing else.
 */
function admitOne(
  open: Circuit[],
  { places, queuedAt, heldSince, ttlSeconds, credentialsVersion }: Waiting,
  now: Date,
  maxHoldSeconds: number,
): Admission {
  const met = places ? open.filter(({ environment }) => places[environment] !== undefined) : open
  const [first] = met
  if (!first) return { is: 'granted' }

  const endsAt = Math.min(queuedAt.getTime() + ttlSeconds * 1000, (heldSince ?? now).getTime() + maxHoldSeconds * 1000)
  const isWhole = !places || met.length === Object.keys(places).length
  const isOver = isWhole && endsAt <= now.getTime()
  const due = met.find((circuit) => isProbeDue(circuit, credentialsVersion, now))
  const place = due && places?.[due.environment]
  if (due && place !== undefined && (!isOver || ttlSeconds === 0)) return { is: 'probe', environment: due.environment, place }
  if (isOver) return { is: 'failed', code: first.code ?? 'credentials_invalid' }
  if (!isWhole) return { is: 'granted' }
  return { is: 'held', until: new Date(Math.min(endsAt, ...met.map(({ probeAt }) => (probeAt ?? now).getTime()))) }
}
