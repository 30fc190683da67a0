import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RefusedLetter } from '@herald/contracts/batch'
import {
  decideTakes,
  isHealthy,
  isOutage,
  changeCircuit,
  toLookUp,
  type Circuit,
  type Evidence,
  type Heard,
  type Waiting,
} from './circuit.ts'

const now = new Date('2026-01-01T12:00:00.000Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)
const circuit = (change: Partial<Circuit> = {}): Circuit => ({
  environment: '',
  state: 'closed',
  code: null,
  since: now,
  probeAt: null,
  answers: '',
  refusedProbes: 0,
  credentialsVersion: 1,
  ...change,
})
const open = (change: Partial<Circuit> = {}) => circuit({ state: 'open', code: 'credentials_invalid', probeAt: inMs(20_000), ...change })
let devices = 0
/** Gives the id of another device each time. */
const newDevice = () => (devices += 1).toString(16).padStart(24, '0')
/** The answers `letters`, in which each refusal is of another device of the host ''. */
const heard = (letters: string, change: Partial<Heard> = {}): Heard => ({
  letters,
  refused: Array.from(letters).flatMap((letter) =>
    letter === 'g' || letter === 't' || letter === 'w' ? { device: newDevice(), letter, host: '' } : [],
  ),
  evidence: () => 'never',
  code: null,
  credentialsVersion: 1,
  probe: false,
  foundDead: false,
  exhausted: false,
  ...change,
})
const sent = (count: number) => 's'.repeat(count)
const refused = (count: number) => 'g'.repeat(count)
/** Gives answers as a circuit remembers them, with another device for each refusal. */
const remembered = (letters: string) => letters.replaceAll(/[gtw]/g, (letter) => letter + newDevice().slice(-6))
const lettersOf = (answers: string) => answers.replaceAll(/[0-9a-f]{6}/g, '')

describe('what the answers of a provider mean', () => {
  const table: [name: string, before: string, letters: string, evidence: Evidence, state: 'closed' | 'open', refusal: string][] = [
    ['19 refused tokens and no send: the tokens are dead', '', refused(19), 'never', 'closed', 'dead'],
    ['19 refused tokens after 100 sends: the tokens are dead', sent(100), refused(19), 'before', 'closed', 'dead'],
    ['20 refused tokens and no send: the circuit opens and the pushes are tried again', '', refused(20), 'never', 'open', 'retry'],
    ['20 refused tokens after 50 sends are less than 30 %: the tokens are dead', sent(50), refused(20), 'before', 'closed', 'dead'],
    ['over 30 % refused tokens after 46 sends: the pushes fail', sent(46), refused(20), 'before', 'closed', 'failed'],
    [
      'over 30 % refused tokens while others are accepted: their campaigns are counted',
      sent(46),
      refused(20),
      'accepted',
      'closed',
      'counted',
    ],
    [
      'no send in the last 50 answers, and who was accepted before is refused: the circuit opens',
      sent(100),
      refused(50),
      'refused',
      'open',
      'retry',
    ],
    [
      'no send in the last 50 answers, and who was accepted before was not sent to: it stays closed',
      sent(100),
      refused(50),
      'before',
      'closed',
      'failed',
    ],
    ['refused tokens and one send in the last 50 answers: it stays closed', sent(1), refused(49), 'refused', 'closed', 'failed'],
    ['a batch of 500 refused tokens: the circuit opens', '', refused(500), 'never', 'open', 'retry'],
    ['a send after 60 refused tokens: the circuit stays closed', refused(60), sent(1), 'accepted', 'closed', 'counted'],
    ['refusals that show that the credentials are good: it never opens', '', 't'.repeat(500), 'never', 'closed', 'failed'],
    ['one such refusal: its campaign is counted', sent(10), 't', 'accepted', 'closed', 'counted'],
    ['one answer that the credentials are wrong: the circuit opens', sent(200), 'c', 'accepted', 'open', 'retry'],
    ['200 devices of other credentials while one is accepted: it stays closed', '', 'w'.repeat(200), 'accepted', 'closed', 'counted'],
    ['devices of other credentials after a quiet night: it stays closed', sent(200), 'w'.repeat(200), 'before', 'closed', 'failed'],
    ['the devices that were accepted before are refused: the circuit opens', sent(200), 'w', 'refused', 'open', 'retry'],
    ['the first answer of all is a refusal of these credentials: the circuit opens', '', 'w', 'never', 'open', 'retry'],
    ['a push service never accepted, another one did: it stays closed', sent(1), 'w'.repeat(30), 'never', 'closed', 'failed'],
    ['nothing but sends: the circuit stays closed', sent(10), sent(10), 'accepted', 'closed', 'dead'],
  ]
  // spec: providers/guard-few, providers/guard-many, providers/circuit-opens, providers/accepted-before, providers/one-device
  test.each(table)('what the answers of a provider do to its circuit: %s', (_name, answers, letters, evidence, state, refusal) => {
    const letter = /[gtw]/.exec(letters)?.[0] ?? 'g'
    const after = changeCircuit(circuit({ answers: remembered(answers) }), heard(letters, { evidence: () => evidence }), now)

    expect([after.circuit.state, after.decisionOn(letter as RefusedLetter, '').meaning]).toEqual([state, refusal])
    expect(after.circuit.probeAt).toEqual(state === 'open' ? inMs(30_000) : null)
  })

  // spec: providers/one-device
  test('a device that is refused again and again counts once', () => {
    const one = { device: newDevice(), letter: 'g' as const, host: '' }
    let known = circuit({ answers: sent(10) })
    for (let push = 0; push < 300; push += 1) known = changeCircuit(known, heard('g', { refused: [one] }), now).circuit
    expect(known).toMatchObject({ state: 'closed', answers: `${sent(10)}g${one.device.slice(-6)}` })
  })

  // spec: providers/accepted-before
  test('a device of other credentials fails with sender_mismatch, and with credentials_invalid where none was ever accepted', () => {
    const codeOf = (evidence: Evidence) =>
      changeCircuit(circuit({ answers: sent(9) }), heard('w', { evidence: () => evidence }), now).decisionOn('w', '').code
    expect([codeOf('accepted'), codeOf('before'), codeOf('never')]).toEqual(['sender_mismatch', 'sender_mismatch', null])
  })

  // spec: providers/accepted-before
  test('each push service has evidence of its own', () => {
    const refusedAt = (host: string) => ({ device: newDevice(), letter: 'w' as const, host })
    const evidence = (host: string): Evidence => (host === 'good' ? 'accepted' : 'never')
    const answers = heard('sww', { refused: [refusedAt('good'), refusedAt('other')], evidence })
    const { circuit: after, decisionOn } = changeCircuit(circuit(), answers, now)
    expect([after.state, decisionOn('w', 'good').meaning, decisionOn('w', 'other').meaning]).toEqual(['closed', 'counted', 'failed'])
  })

  test('an open circuit has the code that says why it opened', () => {
    const codeAfter = (letters: string, code: Heard['code']) => changeCircuit(circuit(), heard(letters, { code }), now).circuit.code
    expect(codeAfter('c', 'sender_mismatch')).toBe('sender_mismatch')
    expect(codeAfter('c', null)).toBe('credentials_invalid')
    expect(codeAfter(refused(20), null)).toBe('token_invalid')
  })

  // spec: providers/guard-credentials
  test('answers to older credentials change no circuit; with the first answer to newer ones it forgets all earlier answers', () => {
    const before = circuit({ credentialsVersion: 5, answers: remembered(refused(100)) })

    const older = changeCircuit(before, heard('ccc', { credentialsVersion: 4 }), now)
    expect([older.circuit, older.decisionOn('g', '').meaning]).toEqual([before, 'retry'])
    const newer = changeCircuit(before, heard(refused(19), { credentialsVersion: 6 }), now)
    expect(newer.circuit).toMatchObject({ state: 'closed', credentialsVersion: 6 })
    expect([lettersOf(newer.circuit.answers), newer.decisionOn('g', '').meaning]).toEqual([refused(19), 'dead'])
  })

  // spec: providers/circuit-closes
  test('only an answer to a probe or newer credentials closes an open circuit: a sent push, a dead token', () => {
    expect(changeCircuit(open(), heard(sent(10)), now).circuit.state).toBe('open')
    expect(changeCircuit(open(), heard('s', { probe: true }), now).circuit).toMatchObject({
      state: 'closed',
      code: null,
      probeAt: null,
      since: now,
    })
    expect(changeCircuit(open(), heard('', { probe: true, foundDead: true }), now).circuit.state).toBe('closed')
    expect(changeCircuit(open(), heard('', { probe: true }), now).circuit.state).toBe('open')
    // The provider refused only the message or the token of the probe, which shows that it has taken the credentials.
    expect(changeCircuit(open(), heard('p', { probe: true }), now).circuit.state).toBe('closed')
    expect(changeCircuit(open(), heard('t', { probe: true }), now).circuit.state).toBe('closed')
    expect(changeCircuit(open(), heard('g', { probe: true }), now).circuit.state).toBe('closed')
    expect(changeCircuit(open(), heard('a', { probe: true }), now).circuit.state).toBe('open')
    expect(changeCircuit(open(), heard('p'), now).circuit.state).toBe('open')
    expect(changeCircuit(open(), heard('s', { credentialsVersion: 2 }), now).circuit.state).toBe('closed')
  })

  test('a circuit whose probe is refused stays open, with the code of the new answer', () => {
    const guarded = open({ code: 'token_invalid' })
    const { circuit, decisionOn } = changeCircuit(guarded, heard('g', { probe: true, code: 'sender_mismatch' }), now)

    expect([circuit.state, circuit.code, decisionOn('g', '').meaning]).toEqual(['open', 'sender_mismatch', 'retry'])
    expect(changeCircuit(open(), heard('sc', { probe: true }), now).circuit.state).toBe('open')
  })

  // spec: providers/probe
  test('when a probe’s device is refused, another is probed at once; after five in a row, 30 s later', () => {
    const probed: (Date | null)[] = []
    let known = open({ probeAt: inMs(30_000) })
    for (let probe = 0; probe < 6; probe += 1) {
      known = changeCircuit({ ...known, probeAt: inMs(30_000) }, heard('w', { probe: true }), now).circuit
      probed.push(known.probeAt)
    }
    expect(probed).toEqual([now, now, now, now, inMs(30_000), now])
    expect(changeCircuit(open(), heard('c', { probe: true }), now).circuit.probeAt).toEqual(inMs(20_000))
    expect(changeCircuit({ ...known }, heard('s', { probe: true }), now).circuit.refusedProbes).toBe(0)
  })

  test('whatever a provider answers, no refused push ends while the circuit is open, and refusals invalidate no device', () => {
    const letters = fc.string({ unit: fc.constantFrom('s', 'g', 't', 'w', 'c', 'u', 'p', 'a'), maxLength: 400 })
    const state = fc.constantFrom('closed' as const, 'open' as const)
    fc.assert(
      fc.property(letters, letters, state, fc.boolean(), fc.integer({ min: 1, max: 3 }), (answers, seen, state, probe, version) => {
        const before = circuit({
          answers: remembered(answers.slice(-200)),
          state,
          probeAt: state === 'open' ? now : null,
          credentialsVersion: 2,
        })
        const { circuit: after, decisionOn } = changeCircuit(before, heard(seen, { probe, credentialsVersion: version }), now)
        const letters = lettersOf(after.answers)
        const share = letters.replaceAll(/[^gt]/g, '').length
        const meanings = (['g', 't', 'w'] as const).map((letter) => decisionOn(letter, '').meaning)

        const promises = {
          'the window is bounded': letters.length <= 200,
          'while it is open no push ends': after.state === 'closed' || meanings.every((meaning) => meaning === 'retry'),
          'no device is invalidated in a flood': !meanings.includes('dead') || share < 20 || share < letters.length * 0.3,
          'older credentials say nothing': version >= 2 || after === before,
        }
        expect(Object.entries(promises).filter(([, isKept]) => !isKept)).toEqual([])
      }),
    )
  })

  describe('outages of a provider', () => {
    const unavailable = (count: number) => 'u'.repeat(count)
    const away = (change: Partial<Circuit> = {}) => open({ code: 'network_error', ...change })
    const after = (answers: string, letters: string, change: Partial<Heard> = {}) =>
      changeCircuit(circuit({ answers: remembered(answers) }), heard(letters, { code: 'timeout', ...change }), now).circuit

    // spec: providers/away
    test('20 answers in a row that the provider is unavailable open the circuit; the first probe follows after 5 s', () => {
      expect(after(sent(200), unavailable(19)).state).toBe('closed')
      expect(after(sent(200), unavailable(20))).toMatchObject({ state: 'open', code: 'timeout', probeAt: inMs(5_000) })
      expect(after(unavailable(19), 'u').state).toBe('open')
      expect(after('', `${unavailable(30)}s${unavailable(19)}`).state).toBe('closed')
      expect(after('', `${unavailable(19)}a${unavailable(19)}`).state).toBe('closed')
    })

    // spec: providers/away, providers/away-one-token
    test('when all tries of two pushes, not one, find the provider unavailable and none is answered, the circuit opens', () => {
      expect(after('s', unavailable(5), { exhausted: true }).state).toBe('closed')
      expect(after(`s${unavailable(9)}`, 'u', { exhausted: true }).state).toBe('open')
      expect(after(`s${unavailable(9)}`, 'u').state).toBe('closed')
      expect(after(`${unavailable(8)}s${unavailable(5)}`, 'u', { exhausted: true }).state).toBe('closed')
    })

    // spec: providers/away-over
    test('an outage ends with any answer to a probe, not with that to a push under way', () => {
      const probed = (letters: string, change: Partial<Heard> = {}) =>
        changeCircuit(away(), heard(letters, { probe: true, ...change }), now).circuit
      expect(['s', 'a', 'g', 'w'].map((letter) => probed(letter).state)).toEqual(['closed', 'closed', 'closed', 'open'])
      expect(isOutage(probed('w'))).toBe(false)
      expect(probed('', { foundDead: true }).state).toBe('closed')
      expect(changeCircuit(away(), heard('s'), now).circuit.state).toBe('open')
      expect(probed('c', { code: 'credentials_invalid' })).toMatchObject({
        state: 'open',
        code: 'credentials_invalid',
        probeAt: inMs(30_000),
      })
    })

    test('an outage goes on when a probe gets no answer, whatever code the dispatcher reports', () => {
      expect(changeCircuit(away(), heard('u', { probe: true, code: 'timeout' }), now).circuit).toMatchObject({
        state: 'open',
        code: 'timeout',
      })
      expect(changeCircuit(away(), heard('', { probe: true }), now).circuit).toMatchObject({ state: 'open', code: 'network_error' })
    })

    test('an outage changes nothing for a circuit open for its credentials, and the mass guard keeps its earlier answers', () => {
      expect(changeCircuit(open(), heard('u', { probe: true, code: 'timeout' }), now).circuit).toMatchObject({
        state: 'open',
        code: 'credentials_invalid',
      })
      const many = circuit({ answers: remembered(refused(19) + unavailable(20)) })
      expect(changeCircuit(many, heard('g', { code: 'token_invalid' }), now).circuit).toMatchObject({
        state: 'open',
        code: 'token_invalid',
      })
      expect(after(sent(180), unavailable(200)).answers).toBe(sent(180) + unavailable(20))
    })
  })

  test('a circuit is healthy when it is closed and its last 200 answers are sends', () => {
    expect([sent(200), sent(199), `${sent(199)}g`].map((answers) => isHealthy(circuit({ answers })))).toEqual([true, false, false])
    expect(isHealthy(open({ answers: sent(200) }))).toBe(false)
  })
})

describe('which batches go out while a circuit is open', () => {
  const rules = { now, maxHoldSeconds: 3_600, outageProbeMs: 5_000, nextLookAt: null }
  const batch = (change: Partial<Waiting> = {}): Waiting => ({
    queuedAt: inMs(-1_000),
    heldSince: null,
    ttlSeconds: 600,
    credentialsVersion: 1,
    places: null,
    ...change,
  })
  const decided = (circuits: Circuit[], change: Partial<Waiting> = {}) =>
    decideTakes(circuits, [batch(change)], rules).decisions[0] ?? { is: 'nothing' }
  const due = open({ probeAt: now })

  // spec: providers/circuit-hold-limit
  test('a batch is held until the next probe, but not beyond its ttl or the longest hold', () => {
    expect(decided([open()])).toEqual({ is: 'held', until: inMs(20_000) })
    expect(decided([open()], { ttlSeconds: 11 })).toEqual({ is: 'held', until: inMs(10_000) })
    expect(decided([open()], { heldSince: inMs(5_000 - 3_600_000) })).toEqual({ is: 'held', until: inMs(5_000) })
  })

  test('a batch held for the longest time fails with the circuit’s code, even when a probe may be made', () => {
    const failed = { is: 'failed', code: 'credentials_invalid' }
    expect(decided([open()], { ttlSeconds: 1 })).toEqual(failed)
    expect(decided([open()], { heldSince: inMs(-3_600_000) })).toEqual(failed)
    expect(decided([due], { heldSince: inMs(-3_600_000), places: { '': 1 } })).toEqual(failed)
  })

  // spec: providers/circuit-now-or-never
  test('while the credentials are refused a batch with ttl 0 is not held: it fails, or it becomes the probe', () => {
    expect(decided([open()], { ttlSeconds: 0 })).toEqual({ is: 'failed', code: 'credentials_invalid' })
    expect(decided([due], { ttlSeconds: 0, places: { '': 3 } })).toEqual({ is: 'probe', environment: '', place: 3 })
  })

  test('the first batch that a dispatcher asks for after 30 s, or with newer credentials, becomes the probe', () => {
    expect(decided([due], { places: { '': 2 } })).toEqual({ is: 'probe', environment: '', place: 2 })
    expect(decided([open()], { places: { '': 1 }, credentialsVersion: 2 })).toEqual({ is: 'probe', environment: '', place: 1 })
  })

  test('of several batches one becomes the probe, and a probe with newer credentials makes the circuit forget all answers', () => {
    const batches = [batch({ places: { '': 1 } }), batch({ places: { '': 1 }, credentialsVersion: 2 }), batch({ credentialsVersion: 2 })]
    const { decisions, circuits } = decideTakes([open({ answers: refused(30) })], batches, rules)

    expect(decisions.map(({ is }) => is)).toEqual(['held', 'probe', 'held'])
    expect(decisions[2]).toEqual({ is: 'held', until: inMs(30_000) })
    expect(circuits).toMatchObject([{ state: 'open', answers: '', credentialsVersion: 2, probeAt: inMs(30_000) }])
  })

  test('a batch whose devices cannot be sent to is not held', () => {
    expect(decided([due], { places: {} })).toEqual({ is: 'granted' })
  })

  test('while one environment’s circuit is open, only a batch with all its devices there is held; the probe goes there', () => {
    const sandbox = open({ environment: 'sandbox' })
    const dueSandbox = { ...sandbox, probeAt: now }
    expect(decided([sandbox], { places: { production: 1, sandbox: 2 } })).toEqual({ is: 'granted' })
    expect(decided([sandbox], { places: { production: 1, sandbox: 2 }, ttlSeconds: 0 })).toEqual({ is: 'granted' })
    expect(decided([sandbox], { places: { sandbox: 1 } }).is).toBe('held')
    expect(decided([dueSandbox], { places: { production: 1, sandbox: 2 } })).toEqual({ is: 'probe', environment: 'sandbox', place: 2 })
    expect(decided([dueSandbox], { places: { production: 1 } })).toEqual({ is: 'granted' })
  })

  test('of ten thousand held batches one is tried again at the next probe, and the others after 30 s', () => {
    const batches = Array.from({ length: 10_000 }, () => batch())
    const until = (nextLookAt: Date | null) =>
      decideTakes([open({ probeAt: inMs(5_000) })], batches, { ...rules, nextLookAt }).decisions.map((one) =>
        one.is === 'held' ? one.until.getTime() - now.getTime() : 0,
      )

    expect(Map.groupBy(until(null), (ms) => ms)).toEqual(
      new Map([
        [5_000, [5_000]],
        [30_000, Array(9_999).fill(30_000)],
      ]),
    )
    expect(until(inMs(4_000)).filter((ms) => ms === 5_000)).toEqual([])
    expect(until(inMs(60_000)).filter((ms) => ms === 5_000)).toHaveLength(1)
  })

  test('devices are looked up only for the probe while every circuit is open, for every batch while one is', () => {
    const batches = [batch({ ttlSeconds: 1 }), ...Array.from({ length: 10_000 }, () => batch())]

    expect(toLookUp([open()], batches, false, now)).toEqual([])
    expect(toLookUp([], batches, false, now)).toEqual([])
    expect(toLookUp([], batches, true, now)).toEqual([])
    expect(toLookUp([due], batches, false, now)).toEqual([1])
    expect(toLookUp([open({ environment: 'sandbox' })], batches, true, now)).toHaveLength(10_001)
  })

  describe('which batches go out while a provider is away', () => {
    const away = open({ code: 'timeout', probeAt: inMs(5_000) })

    test('while a provider is away a batch is held to the end of its ttl, then skipped as expired', () => {
      expect(decided([away], { heldSince: inMs(-400_000), ttlSeconds: 2_419_200 })).toEqual({ is: 'held', until: inMs(5_000) })
      expect(decided([away], { ttlSeconds: 2 })).toEqual({ is: 'held', until: inMs(1_000) })
      expect(decided([away], { ttlSeconds: 1 })).toEqual({ is: 'expired' })
    })

    test('while a provider is away a batch with ttl 0 goes out for its one try', () => {
      expect(decided([away], { ttlSeconds: 0 })).toEqual({ is: 'granted' })
      expect(decided([{ ...away, probeAt: now }], { ttlSeconds: 0, places: { '': 1 } }).is).toBe('probe')
    })

    // spec: providers/away-probe
    test('in an outage the next probe follows after the configured time, later after up to twelve times that', () => {
      const probedIn = (sinceMs: number, outageProbeMs: number) =>
        decideTakes([{ ...away, since: inMs(-sinceMs), probeAt: now }], [batch({ places: { '': 1 } })], { ...rules, outageProbeMs })
          .circuits
      expect(probedIn(0, 250)).toMatchObject([{ probeAt: inMs(250) }])
      expect(probedIn(600_000, 5_000)).toMatchObject([{ probeAt: inMs(5_000) }])
      expect(probedIn(3_600_000, 5_000)).toMatchObject([{ probeAt: inMs(30_000) }])
      expect(probedIn(86_400_000, 5_000)).toMatchObject([{ probeAt: inMs(60_000) }])
    })
  })
})
