import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit, isHealthy, isOutage, judge, toLookUp, type Circuit, type Heard, type Waiting } from './circuit.ts'

const now = new Date('2026-01-01T12:00:00.000Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)
const circuit = (change: Partial<Circuit> = {}): Circuit => ({
  environment: '',
  state: 'closed',
  code: null,
  since: now,
  probeAt: null,
  answers: '',
  credentialsVersion: 1,
  ...change,
})
const open = (change: Partial<Circuit> = {}) => circuit({ state: 'open', code: 'credentials_invalid', probeAt: inMs(20_000), ...change })
const heard = (letters: string, change: Partial<Heard> = {}): Heard => ({
  letters,
  code: null,
  credentialsVersion: 1,
  probe: false,
  foundDead: false,
  exhausted: false,
  ...change,
})
const s = (count: number) => 's'.repeat(count)
const g = (count: number) => 'g'.repeat(count)

describe('what answers come to', () => {
  const table: [name: string, before: string, letters: string, state: 'closed' | 'open', verdict: string][] = [
    ['a few refused tokens are dead', '', g(19), 'closed', 'dead'],
    ['19 among many sends are dead', s(100), g(19), 'closed', 'dead'],
    ['20 are doubted when they are nearly all', '', g(20), 'open', 'retry'],
    ['20 among 50 sends are no 30 %', s(50), g(20), 'closed', 'dead'],
    ['20 among 46 sends are more than 30 %, and there are sends', s(46), g(20), 'closed', 'failed'],
    ['40 % bad among sends fail and stay', '', 'gsgss'.repeat(40), 'closed', 'failed'],
    ['no send in the last 50: the circuit opens', s(100), g(50), 'open', 'retry'],
    ['a send 50 answers ago: it does not', s(1), g(49), 'closed', 'failed'],
    ['a whole batch refused opens it', '', g(500), 'open', 'retry'],
    ['a send after it does not count as refused', g(60), s(1), 'closed', 'failed'],
    ['one answer about our credentials opens it', s(200), 'c', 'open', 'retry'],
    ['one push service that refuses is not all of them', s(1), 'w'.repeat(19), 'closed', 'dead'],
    ['20 refusals in a row and no send open it', s(200), 'w'.repeat(20), 'open', 'retry'],
    ['the first answer ever is a refusal', '', 'w', 'open', 'retry'],
    ['sends are sends', s(10), s(10), 'closed', 'dead'],
  ]
  // spec: providers/guard-few, providers/guard-many, providers/circuit-opens
  test.each(table)('%s', (_name, answers, letters, state, verdict) => {
    const after = judge(circuit({ answers }), heard(letters), now)

    expect([after.circuit.state, after.verdict]).toEqual([state, verdict])
    expect(after.circuit.probeAt).toEqual(state === 'open' ? inMs(30_000) : null)
  })

  test('an open circuit says why', () => {
    const codeAfter = (letters: string, code: Heard['code']) => judge(circuit(), heard(letters, { code }), now).circuit.code
    expect(codeAfter('c', 'sender_mismatch')).toBe('sender_mismatch')
    expect(codeAfter('c', null)).toBe('credentials_invalid')
    expect(codeAfter(g(20), null)).toBe('token_invalid')
  })

  // spec: providers/guard-credentials
  test('answers to older credentials change nothing, those to newer ones begin anew', () => {
    const before = circuit({ credentialsVersion: 5, answers: g(100) })

    expect(judge(before, heard('ccc', { credentialsVersion: 4 }), now)).toEqual({ circuit: before, verdict: 'retry' })
    expect(judge(before, heard(g(19), { credentialsVersion: 6 }), now)).toMatchObject({
      circuit: { state: 'closed', answers: g(19), credentialsVersion: 6 },
      verdict: 'dead',
    })
  })

  // spec: providers/circuit-closes
  test('only a probe closes an open circuit, by a send or by a token called dead', () => {
    expect(judge(open(), heard(s(10)), now).circuit.state).toBe('open')
    expect(judge(open(), heard('s', { probe: true }), now).circuit).toMatchObject({
      state: 'closed',
      code: null,
      probeAt: null,
      since: now,
    })
    expect(judge(open(), heard('', { probe: true, foundDead: true }), now).circuit.state).toBe('closed')
    expect(judge(open(), heard('', { probe: true }), now).circuit.state).toBe('open')
    expect(judge(open(), heard('s', { credentialsVersion: 2 }), now).circuit.state).toBe('closed')
  })

  test('a probe that is refused leaves it open and says why now', () => {
    const { circuit, verdict } = judge(open(), heard('g', { probe: true, code: 'sender_mismatch' }), now)

    expect([circuit.state, circuit.code, verdict]).toEqual(['open', 'sender_mismatch', 'retry'])
    expect(judge(open(), heard('sc', { probe: true }), now).circuit.state).toBe('open')
  })

  test('whatever is heard: 200 letters are kept, an open circuit decides nobody’s end, and nobody is invalidated in a flood', () => {
    const letters = fc.string({ unit: fc.constantFrom('s', 'g', 'w', 'c', 'u', 'a'), maxLength: 400 })
    const state = fc.constantFrom('closed' as const, 'open' as const)
    fc.assert(
      fc.property(letters, letters, state, fc.boolean(), fc.integer({ min: 1, max: 3 }), (answers, seen, state, probe, version) => {
        const before = circuit({ answers: answers.slice(-200), state, probeAt: state === 'open' ? now : null, credentialsVersion: 2 })
        const { circuit: after, verdict } = judge(before, heard(seen, { probe, credentialsVersion: version }), now)
        const share = after.answers.split('g').length - 1

        const promises = {
          'the window is bounded': after.answers.length <= 200,
          'while it is open nobody’s end is decided': after.state === 'closed' || verdict === 'retry',
          'nobody is invalidated in a flood': verdict !== 'dead' || share < 20 || share < after.answers.length * 0.3,
          'older credentials say nothing': version >= 2 || after === before,
        }
        expect(Object.entries(promises).filter(([, isKept]) => !isKept)).toEqual([])
      }),
    )
  })

  describe('a provider that is away', () => {
    const u = (count: number) => 'u'.repeat(count)
    const away = (change: Partial<Circuit> = {}) => open({ code: 'network_error', ...change })
    const after = (answers: string, letters: string, change: Partial<Heard> = {}) =>
      judge(circuit({ answers }), heard(letters, { code: 'timeout', ...change }), now).circuit

    // spec: providers/away
    test('20 answers in a row that it is unavailable are an outage, and it is probed every 5 s', () => {
      expect(after(s(200), u(19)).state).toBe('closed')
      expect(after(s(200), u(20))).toMatchObject({ state: 'open', code: 'timeout', probeAt: inMs(5_000) })
      expect(after(u(19), 'u').state).toBe('open')
      expect(after('', `${u(30)}s${u(19)}`).state).toBe('closed')
      expect(after('', `${u(19)}a${u(19)}`).state).toBe('closed')
    })

    // spec: providers/away, providers/away-one-token
    test('the tries of two devices are enough when nobody else was answered meanwhile, those of one are not', () => {
      expect(after('s', u(5), { exhausted: true }).state).toBe('closed')
      expect(after(`s${u(9)}`, 'u', { exhausted: true }).state).toBe('open')
      expect(after(`s${u(9)}`, 'u').state).toBe('closed')
      expect(after(`${u(8)}s${u(5)}`, 'u', { exhausted: true }).state).toBe('closed')
    })

    // spec: providers/away-over
    test('is back with any answer of a probe, and with none that was under way', () => {
      const probed = (letters: string, change: Partial<Heard> = {}) =>
        judge(away(), heard(letters, { probe: true, ...change }), now).circuit
      expect(['s', 'a', 'g', 'w'].map((letter) => probed(letter).state)).toEqual(['closed', 'closed', 'closed', 'open'])
      expect(isOutage(probed('w'))).toBe(false)
      expect(probed('', { foundDead: true }).state).toBe('closed')
      expect(judge(away(), heard('s'), now).circuit.state).toBe('open')
      expect(probed('c', { code: 'credentials_invalid' })).toMatchObject({
        state: 'open',
        code: 'credentials_invalid',
        probeAt: inMs(30_000),
      })
    })

    test('stays away with a probe that nobody answered, whatever the code', () => {
      expect(judge(away(), heard('u', { probe: true, code: 'timeout' }), now).circuit).toMatchObject({ state: 'open', code: 'timeout' })
      expect(judge(away(), heard('', { probe: true }), now).circuit).toMatchObject({ state: 'open', code: 'network_error' })
    })

    test('says nothing of credentials: a closed way for their sake stays so, and the mass guard counts what it counted', () => {
      expect(judge(open(), heard('u', { probe: true, code: 'timeout' }), now).circuit).toMatchObject({
        state: 'open',
        code: 'credentials_invalid',
      })
      expect(judge(circuit({ answers: g(19) + u(20) }), heard('g', { code: 'token_invalid' }), now)).toMatchObject({
        circuit: { state: 'open', code: 'token_invalid' },
        verdict: 'retry',
      })
      expect(after(s(180), u(200)).answers).toBe(s(180) + u(20))
    })
  })

  test('healthy is a full window of sends', () => {
    expect([s(200), s(199), `${s(199)}g`].map((answers) => isHealthy(circuit({ answers })))).toEqual([true, false, false])
    expect(isHealthy(open({ answers: s(200) }))).toBe(false)
  })
})

describe('who goes out while it is open', () => {
  const rules = { now, maxHoldSeconds: 3_600, outageProbeMs: 5_000, nextLookAt: null }
  const batch = (change: Partial<Waiting> = {}): Waiting => ({
    queuedAt: inMs(-1_000),
    heldSince: null,
    ttlSeconds: 600,
    credentialsVersion: 1,
    places: null,
    ...change,
  })
  const admitted = (circuits: Circuit[], change: Partial<Waiting> = {}) =>
    admit(circuits, [batch(change)], rules).admissions[0] ?? { is: 'nothing' }
  const due = open({ probeAt: now })

  // spec: providers/circuit-hold-limit
  test('a batch is held until the next probe, or the end of its ttl or of its hold', () => {
    expect(admitted([open()])).toEqual({ is: 'held', until: inMs(20_000) })
    expect(admitted([open()], { ttlSeconds: 11 })).toEqual({ is: 'held', until: inMs(10_000) })
    expect(admitted([open()], { heldSince: inMs(5_000 - 3_600_000) })).toEqual({ is: 'held', until: inMs(5_000) })
  })

  test('after that it fails with the circuit’s code, also when a probe is due', () => {
    const failed = { is: 'failed', code: 'credentials_invalid' }
    expect(admitted([open()], { ttlSeconds: 1 })).toEqual(failed)
    expect(admitted([open()], { heldSince: inMs(-3_600_000) })).toEqual(failed)
    expect(admitted([due], { heldSince: inMs(-3_600_000), places: { '': 1 } })).toEqual(failed)
  })

  // spec: providers/circuit-now-or-never
  test('what is sent now or never is never held: it fails, or it is the probe', () => {
    expect(admitted([open()], { ttlSeconds: 0 })).toEqual({ is: 'failed', code: 'credentials_invalid' })
    expect(admitted([due], { ttlSeconds: 0, places: { '': 3 } })).toEqual({ is: 'probe', environment: '', place: 3 })
  })

  test('the first after 30 s, or with newer credentials, is the probe', () => {
    expect(admitted([due], { places: { '': 2 } })).toEqual({ is: 'probe', environment: '', place: 2 })
    expect(admitted([open()], { places: { '': 1 }, credentialsVersion: 2 })).toEqual({ is: 'probe', environment: '', place: 1 })
  })

  test('of a group one batch is the probe, and newer credentials begin with an empty window', () => {
    const batches = [batch({ places: { '': 1 } }), batch({ places: { '': 1 }, credentialsVersion: 2 }), batch({ credentialsVersion: 2 })]
    const { admissions, circuits } = admit([open({ answers: g(30) })], batches, rules)

    expect(admissions.map(({ is }) => is)).toEqual(['held', 'probe', 'held'])
    expect(admissions[2]).toEqual({ is: 'held', until: inMs(30_000) })
    expect(circuits).toMatchObject([{ state: 'open', answers: '', credentialsVersion: 2, probeAt: inMs(30_000) }])
  })

  test('a batch without anyone to send to needs no circuit', () => {
    expect(admitted([due], { places: {} })).toEqual({ is: 'granted' })
  })

  test('one environment of two: who meets it in part goes out, who meets it alone is held, and only one who meets it probes', () => {
    const sandbox = open({ environment: 'sandbox' })
    const dueSandbox = { ...sandbox, probeAt: now }
    expect(admitted([sandbox], { places: { production: 1, sandbox: 2 } })).toEqual({ is: 'granted' })
    expect(admitted([sandbox], { places: { production: 1, sandbox: 2 }, ttlSeconds: 0 })).toEqual({ is: 'granted' })
    expect(admitted([sandbox], { places: { sandbox: 1 } }).is).toBe('held')
    expect(admitted([dueSandbox], { places: { production: 1, sandbox: 2 } })).toEqual({ is: 'probe', environment: 'sandbox', place: 2 })
    expect(admitted([dueSandbox], { places: { production: 1 } })).toEqual({ is: 'granted' })
  })

  test('of ten thousand held batches one waits for the next probe, the others look again after 30 s', () => {
    const batches = Array.from({ length: 10_000 }, () => batch())
    const until = (nextLookAt: Date | null) =>
      admit([open({ probeAt: inMs(5_000) })], batches, { ...rules, nextLookAt }).admissions.map((one) =>
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

  test('of ten thousand held batches only the probe is looked into', () => {
    const batches = [batch({ ttlSeconds: 1 }), ...Array.from({ length: 10_000 }, () => batch())]

    expect(toLookUp([open()], batches, false, now)).toEqual([])
    expect(toLookUp([], batches, false, now)).toEqual([])
    expect(toLookUp([], batches, true, now)).toEqual([])
    expect(toLookUp([due], batches, false, now)).toEqual([1])
    expect(toLookUp([open({ environment: 'sandbox' })], batches, true, now)).toHaveLength(10_001)
  })

  describe('because the provider is away', () => {
    const away = open({ code: 'timeout', probeAt: inMs(5_000) })

    test('a batch is held to the end of its ttl, however long that is, and then skipped as expired', () => {
      expect(admitted([away], { heldSince: inMs(-400_000), ttlSeconds: 2_419_200 })).toEqual({ is: 'held', until: inMs(5_000) })
      expect(admitted([away], { ttlSeconds: 2 })).toEqual({ is: 'held', until: inMs(1_000) })
      expect(admitted([away], { ttlSeconds: 1 })).toEqual({ is: 'expired' })
    })

    test('what is sent now or never goes out for its one try', () => {
      expect(admitted([away], { ttlSeconds: 0 })).toEqual({ is: 'granted' })
      expect(admitted([{ ...away, probeAt: now }], { ttlSeconds: 0, places: { '': 1 } }).is).toBe('probe')
    })

    // spec: providers/away-probe
    test('the next probe follows in the time that is configured, later when it lasts, and within twelve times that', () => {
      const probedIn = (sinceMs: number, outageProbeMs: number) =>
        admit([{ ...away, since: inMs(-sinceMs), probeAt: now }], [batch({ places: { '': 1 } })], { ...rules, outageProbeMs }).circuits
      expect(probedIn(0, 250)).toMatchObject([{ probeAt: inMs(250) }])
      expect(probedIn(600_000, 5_000)).toMatchObject([{ probeAt: inMs(5_000) }])
      expect(probedIn(3_600_000, 5_000)).toMatchObject([{ probeAt: inMs(30_000) }])
      expect(probedIn(86_400_000, 5_000)).toMatchObject([{ probeAt: inMs(60_000) }])
    })
  })
})
