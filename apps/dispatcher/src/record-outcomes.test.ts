import type { BatchOutcomes, PushEnd } from '@herald/contracts/outcome'
import { activeRequestId, forRequest } from '@herald/service/request-id'
import { until } from '@herald/testing/until'
import { expect, test } from 'vitest'
import { openRecorder, type BatchRecorder, type OutcomeOwner } from './record-outcomes.ts'

const owner = (campaignId: string): OutcomeOwner => ({ appId: 'app', campaignId, day: '2026-01-31', platform: 'ios', no: 1 })
const outcome = (place: number): PushEnd => ({
  place,
  variant: '',
  outcome: 'sent',
  code: '',
  providerCode: '200',
  tokenVersion: 1,
  attempts: 1,
})
const placesOf = (batches: BatchOutcomes[]): number[] => batches.flatMap(({ results }) => results.flatMap(({ places }) => places))
const away = new Error('away')
const ignored = {
  isAway: (error: unknown) => error === away,
  onRefused: () => undefined,
  onGivenUp: () => undefined,
  onLetGo: () => undefined,
  stopping: new AbortController().signal,
}

/** Opens a recorder whose `record` gives a promise that resolves when the outcome is committed, or parked with its batch. */
function givenRecorder(
  commit: (batches: BatchOutcomes[]) => Promise<unknown>,
  options: Parameters<typeof openRecorder>[1],
  isHeld: () => Promise<boolean> = () => Promise.resolve(true),
) {
  const recorder = openRecorder(async (batches) => {
    const answer = await commit(batches)
    return typeof answer === 'object' && answer !== null && 'unknown' in answer ? answer : {}
  }, options)
  const opened = new Map<OutcomeOwner, BatchRecorder>()
  const of = (one: OutcomeOwner): BatchRecorder => {
    const known = opened.get(one) ?? recorder.open(one, isHeld)
    opened.set(one, known)
    return known
  }
  return {
    record: (one: OutcomeOwner, { place, ...end }: PushEnd) => new Promise<void>((resolve) => of(one).record(end, place, () => resolve())),
    settled: (one: OutcomeOwner) => of(one).settled(),
  }
}

test('a dispatcher sends 2,500 outcomes to the tracker in one call at a time, each with at most 1,000', async () => {
  const calls: number[] = []
  let inFlight = 0
  let most = 0
  const recorder = givenRecorder(async (batches) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    await new Promise((resolve) => setImmediate(resolve))
    calls.push(placesOf(batches).length)
    inFlight -= 1
  }, ignored)
  const owners = Array.from({ length: 5 }, (_, n) => owner(String(n)))
  await Promise.all(Array.from({ length: 2_500 }, (_, n) => recorder.record(owners[n % 5] ?? owner('none'), outcome(n))))
  expect(calls).toEqual([1_000, 1_000, 500])
  expect(most).toBe(1)
})

test('a call to the tracker carries outcomes of at most 200 batches', async () => {
  const calls: BatchOutcomes[][] = []
  const recorder = givenRecorder((batches) => Promise.resolve(calls.push(batches)), ignored)
  const owners = Array.from({ length: 250 }, (_, n) => owner(String(n)))
  await Promise.all(owners.flatMap((one) => [recorder.record(one, outcome(0)), recorder.record(one, outcome(1))]))
  expect(placesOf(calls.flat())).toHaveLength(500)
  expect(Math.max(...calls.map((batches) => batches.length))).toBe(200)
})

test('when three calls find the tracker away, a dispatcher repeats the outcomes until they are committed', async () => {
  let failures = 3
  const seen: number[] = []
  const recorder = givenRecorder(async (batches) => {
    if (failures-- > 0) throw away
    seen.push(...placesOf(batches))
  }, ignored)
  const one = owner('a')
  await Promise.all([1, 2, 3].map((place) => recorder.record(one, outcome(place))))
  expect(seen).toEqual([1, 2, 3])
})

/** Records outcomes of other batches, one after another, until `isOver()` is true. */
async function goOn(recorder: ReturnType<typeof givenRecorder>, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) await recorder.record(owner('good'), outcome(n))
}

test('a batch that the tracker always refuses is parked, holds up no others, and is given up in the end', async () => {
  const calls: string[][] = []
  const givenUp: [string, number][] = []
  const recorder = givenRecorder(
    async (batches) => {
      calls.push(batches.map(({ campaignId }) => campaignId))
      await new Promise((resolve) => setImmediate(resolve))
      if (batches.some(({ campaignId }) => campaignId === 'poison')) throw new Error('no')
    },
    { ...ignored, isAway: () => false, onGivenUp: ({ campaignId }, outcomes) => givenUp.push([campaignId, outcomes]), parkedMs: [5, 5, 5] },
  )
  const one = owner('poison')
  const others = goOn(recorder, () => givenUp.length > 0)
  await Promise.all(Array.from({ length: 288 }, (_, n) => recorder.record(one, outcome(n))))
  // From now on the refused batch shares no call with other batches.
  const parkedAt = calls.length
  await recorder.settled(one)
  expect(givenUp).toEqual([['poison', 288]])
  await others
  const after = calls.slice(parkedAt)
  expect(after.filter((names) => names.includes('poison') && names.length > 1)).toEqual([])
})

test('a parked batch that the tracker takes later is committed with all its outcomes, and nothing is given up', async () => {
  let refuses = true
  const committed: number[] = []
  const givenUp: string[] = []
  const recorder = givenRecorder(
    async (batches) => {
      if (refuses && batches.some(({ campaignId }) => campaignId === 'poison')) throw new Error('no')
      committed.push(...placesOf(batches.filter(({ campaignId }) => campaignId === 'poison')))
      await new Promise((resolve) => setImmediate(resolve))
    },
    {
      ...ignored,
      isAway: () => false,
      onGivenUp: ({ campaignId }) => givenUp.push(campaignId),
      parkedMs: Array.from({ length: 1_000 }, () => 5),
    },
  )
  const one = owner('poison')
  let over = false
  const others = goOn(recorder, () => over)
  await Promise.all([1, 2, 3].map((place) => recorder.record(one, outcome(place))))
  expect(committed).toEqual([])
  refuses = false
  await recorder.settled(one)
  over = true
  await others
  expect(committed).toEqual([1, 2, 3])
  expect(givenUp).toEqual([])
})

test('while the tracker takes no outcomes at all, no batch is parked or given up', async () => {
  let refuses = true
  let calls = 0
  const settled: string[] = []
  const recorder = givenRecorder(
    async () => {
      calls += 1
      if (refuses) throw new Error('no')
    },
    { ...ignored, isAway: () => false, onGivenUp: () => settled.push('given up'), parkedMs: [1] },
  )
  const all = ['a', 'b'].map((name) => recorder.record(owner(name), outcome(1)).then(() => settled.push(name)))
  await until(() => calls >= 12)
  expect(settled).toEqual([])
  refuses = false
  await Promise.all(all)
  expect(settled.toSorted()).toEqual(['a', 'b'])
})

test('a batch whose outcomes take the tracker too long does not hold up the other batches', async () => {
  const committed: string[] = []
  const recorder = givenRecorder(
    async (batches) => {
      if (batches.some(({ campaignId }) => campaignId === 'slow')) throw away
      committed.push(...batches.map(({ campaignId }) => campaignId))
    },
    { ...ignored, parkedMs: Array.from({ length: 1_000 }, () => 60_000) },
  )
  const slow = recorder.record(owner('slow'), outcome(1))
  await Promise.all(['b', 'c', 'd', 'e'].map((name) => recorder.record(owner(name), outcome(1))))
  expect(committed.toSorted()).toEqual(['b', 'c', 'd', 'e'])
  let over = false
  const others = goOn(recorder, () => over)
  await slow
  over = true
  await others
})

test('a dispatcher that stops waits no longer for a parked batch', async () => {
  const stop = new AbortController()
  const recorder = givenRecorder(
    async (batches) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (batches.some(({ campaignId }) => campaignId === 'poison')) throw new Error('no')
    },
    { ...ignored, isAway: () => false, stopping: stop.signal },
  )
  const one = owner('poison')
  let over = false
  const others = goOn(recorder, () => over)
  await recorder.record(one, outcome(1))
  const settled = recorder.settled(one)
  stop.abort()
  await expect(settled).rejects.toThrow('stops')
  over = true
  await others
})

test('a batch that the tracker refuses does not hold up the other batches, and is not dropped', async () => {
  let refuses = true
  const refused: string[] = []
  const committed: string[] = []
  const recorder = givenRecorder(
    async (batches) => {
      if (refuses && batches.some(({ campaignId }) => campaignId === 'poison')) throw new Error('no')
      committed.push(...batches.map(({ campaignId }) => campaignId))
    },
    { ...ignored, isAway: () => false, onRefused: ({ campaignId }) => refused.push(campaignId) },
  )
  const poison = recorder.record(owner('poison'), outcome(1))
  await recorder.record(owner('good'), outcome(2))
  expect(committed).toEqual(['good'])
  await until(() => refused.length > 1)
  expect(new Set(refused)).toEqual(new Set(['poison']))
  refuses = false
  await poison
  expect(committed).toEqual(['good', 'poison'])
})

test('a call to the tracker belongs to its first batch’s trace, also when it waited for another', async () => {
  const calls: (string | undefined)[] = []
  const recorder = givenRecorder(async () => {
    calls.push(activeRequestId())
    await new Promise((resolve) => setImmediate(resolve))
  }, ignored)
  const record = (name: string) => forRequest(name, () => recorder.record(owner(name), outcome(0)))

  const first = record('first')
  await until(() => calls.length === 1)
  await Promise.all([first, record('second'), record('third')])

  expect(calls).toEqual(['first', 'second'])
})

test('when a call is committed, a function given for several pushes in a row is called once, with their number', async () => {
  const told: [string, number][] = []
  const hears = { x: (pushes: number) => void told.push(['x', pushes]), y: (pushes: number) => void told.push(['y', pushes]) }
  const recorder = openRecorder(() => Promise.resolve({}), ignored)
  const batch = recorder.open(owner('a'), () => Promise.resolve(true))
  const { place: _, ...end } = outcome(0)
  for (const [place, who] of (['x', 'x', 'y', 'x', 'x'] as const).entries()) batch.record(end, place, hears[who])
  await until(() => told.length > 0)
  expect(told).toEqual([
    ['x', 2],
    ['y', 1],
    ['x', 2],
  ])
})

test('pushes of a batch with the same outcome travel as one entry, whatever outcomes came between them', async () => {
  const calls: BatchOutcomes[][] = []
  const recorder = givenRecorder(async (batches) => calls.push(batches), ignored)
  const one = owner('a')
  const dead = { ...outcome(1), outcome: 'failed' as const, code: 'token_dead' as const, providerCode: '410' }
  await Promise.all(
    [outcome(0), dead, outcome(2), { ...dead, place: 4 }, { ...outcome(3), tokenVersion: 2 }].map((end) => recorder.record(one, end)),
  )
  const { place: _, ...sent } = outcome(0)
  const { place: __, ...failed } = dead
  expect(calls).toEqual([
    [
      {
        ...one,
        results: [
          { ...sent, places: [0, 2] },
          { ...failed, places: [1, 4] },
          { ...sent, tokenVersion: 2, places: [3] },
        ],
      },
    ],
  ])
})

/** A tracker whose ledger does not know the batches of `lost`. */
const withoutLost = (lost: ReadonlySet<string>, taken: string[]) => async (batches: BatchOutcomes[]) => {
  taken.push(...batches.map(({ campaignId }) => campaignId).filter((id) => !lost.has(id)))
  return { unknown: batches.filter(({ campaignId }) => lost.has(campaignId)).map(({ campaignId, no }) => ({ campaignId, no })) }
}

// spec: running/lost-rows
test('outcomes of a batch that neither ledger nor process knows are let go once, and others committed', async () => {
  const letGo: [string, number][] = []
  const taken: string[] = []
  const options = { ...ignored, onLetGo: ({ campaignId }: OutcomeOwner, outcomes: number) => letGo.push([campaignId, outcomes]) }
  const recorder = givenRecorder(withoutLost(new Set(['lost']), taken), options, () => Promise.resolve(false))
  const [lost, known] = [owner('lost'), owner('known')]
  await Promise.all([...[0, 1, 2].map((place) => recorder.record(lost, outcome(place))), recorder.record(known, outcome(0))])
  expect(letGo).toEqual([['lost', 3]])
  expect(taken).toEqual(['known'])
})

// spec: running/lost-rows
test('outcomes of a held batch that the ledger does not know wait for its report, and hold up no others', async () => {
  const lost = new Set(['held'])
  const letGo: string[] = []
  const taken: string[] = []
  const asked: string[] = []
  const options = { ...ignored, parkedMs: [5, 5, 5, 5, 5], onLetGo: ({ campaignId }: OutcomeOwner) => letGo.push(campaignId) }
  const recorder = givenRecorder(withoutLost(lost, taken), options, async () => asked.push('held') > 0)
  const [held, known] = [owner('held'), owner('known')]
  const waiting = recorder.record(held, outcome(0))
  for (let place = 0; place < 20; place += 1) await recorder.record(known, outcome(place))
  await until(() => asked.length > 0)
  lost.clear()
  await waiting
  await recorder.settled(held)
  await until(() => taken.includes('held'))
  expect(letGo).toEqual([])
})

test('an outcome that reaches the tracker before its batch’s report waits, and audience is not asked', async () => {
  const unreported = new Set(['small'])
  const taken: string[] = []
  const asked: string[] = []
  let calls = 0
  const ledger = withoutLost(unreported, taken)
  const recorder = givenRecorder(
    (batches) => {
      calls += 1
      if (calls === 3) unreported.clear()
      return ledger(batches)
    },
    ignored,
    async () => asked.push('held') > 0,
  )
  await recorder.record(owner('small'), outcome(0))
  expect({ taken, asked, calls }).toEqual({ taken: ['small'], asked: [], calls: 3 })
})

// spec: running/lost-rows
test('outcomes that nobody reports again are given up in the end, and their batch is settled', async () => {
  const givenUp: [string, number][] = []
  const options = {
    ...ignored,
    parkedMs: [1, 1, 1],
    onGivenUp: ({ campaignId }: OutcomeOwner, outcomes: number) => givenUp.push([campaignId, outcomes]),
  }
  const recorder = givenRecorder(withoutLost(new Set(['held']), []), options)
  const held = owner('held')
  await recorder.record(held, outcome(0))
  await recorder.settled(held)
  expect(givenUp).toEqual([['held', 1]])
})

test('a batch that alone meets a busy tracker is tried ever more seldom, with a line, never given up', async () => {
  const said: string[] = []
  const givenUp: string[] = []
  let isLocked = true
  const options = {
    ...ignored,
    parkedMs: [1, 1, 5],
    onRefused: ({ campaignId }: OutcomeOwner) => said.push(campaignId),
    onGivenUp: ({ campaignId }: OutcomeOwner) => givenUp.push(campaignId),
  }
  const recorder = givenRecorder(async (batches) => {
    if (isLocked && batches.some(({ campaignId }) => campaignId === 'locked')) throw away
  }, options)
  const [locked, other] = [owner('locked'), owner('other')]
  await Promise.all([recorder.record(locked, outcome(0)), recorder.record(other, outcome(0))])
  let place = 0
  await until(
    async () => {
      await recorder.record(other, outcome((place += 1)))
      return said.length > 5
    },
    { what: 'the locked batch was tried more often than there are pauses' },
  )
  isLocked = false
  await recorder.settled(locked)
  expect([new Set(said), givenUp]).toEqual([new Set(['locked']), []])
})
