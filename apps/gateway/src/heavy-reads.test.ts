import { newId } from '@herald/contracts/ids'
import { expect, test, vi } from 'vitest'
import { inPlaceOf, openHeavyReads } from './heavy-reads.ts'

const refused = { code: 'rate_limited', retryAfterSeconds: 2 }

/** Makes an export that gives one part at once and ends when the test calls `end`. */
function heldExport() {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  async function* parts() {
    yield 'part'
    await promise
  }
  return { parts, end }
}

// spec: limits/heavy-reads
test('one export of an app and four in all run at once, dry runs apart; further ones wait 2 seconds', async () => {
  vi.useFakeTimers()
  try {
    const { exports: places, dryRuns } = openHeavyReads()
    const apps = Array.from({ length: 5 }, newId)
    const [first = '', , , , fifth = ''] = apps
    const held = heldExport()
    const running = apps.slice(0, 4).map((appId) => inPlaceOf(places, appId, held.parts()))
    for (const one of running) expect(await one.next()).toEqual({ done: false, value: 'part' })
    expect(await dryRuns(async () => 'done', first)).toBe('done')

    const late = Promise.allSettled([first, fifth].map((appId) => inPlaceOf(places, appId, held.parts()).next()))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await late).toMatchObject([refused, refused].map((reason) => ({ status: 'rejected', reason })))

    const own = inPlaceOf(places, first, held.parts()).next()
    const waiting = inPlaceOf(places, fifth, held.parts()).next()
    await running[1]?.return()
    expect(await waiting).toEqual({ done: false, value: 'part' })
    await running[0]?.return()
    expect(await own).toEqual({ done: false, value: 'part' })
    held.end()
  } finally {
    vi.useRealTimers()
  }
})

test('when a dry run fails, the app may begin the next one at once', async () => {
  const { dryRuns } = openHeavyReads()
  const appId = newId()
  await expect(dryRuns(() => Promise.reject(new Error('broken')), appId)).rejects.toThrow('broken')
  await expect(dryRuns(async () => 'done', appId)).resolves.toBe('done')
})
