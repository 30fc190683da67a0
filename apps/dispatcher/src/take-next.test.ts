import type { GivenBatch } from '@herald/contracts/batch'
import { perPlatform } from '@herald/contracts/platform'
import { expect, test, vi } from 'vitest'
import type { Dispatcher } from './dispatcher.ts'
import { openTakeNext } from './take-next.ts'

type Call = { room: Record<string, number>; answer: (by: string, batches?: GivenBatch[]) => void }

/** Waits for batches at an audience that this test plays: `waiting` has the calls that are not answered yet. */
function givenWaiting() {
  const waiting: Call[] = []
  const delivered: GivenBatch[] = []
  const call = (_: unknown, { room }: Pick<Call, 'room'>) =>
    new Promise((resolve) => {
      const one: Call = {
        room,
        answer(by, batches = []) {
          waiting.splice(waiting.indexOf(one), 1)
          resolve({ batches, by })
        },
      }
      waiting.push(one)
    })
  const dispatcher = { bus: { call }, jobs: { room: () => ({ room: perPlatform(() => 112), full: [] }) } } as unknown as Dispatcher
  const stop = openTakeNext(dispatcher, async (_, given) => void delivered.push(given))
  return { waiting, delivered, stop }
}

test('a dispatcher waits with one call per answering audience, at most four, and divides its room among them', async () => {
  const { waiting, stop } = givenWaiting()
  for (const by of ['one', 'one', 'one']) {
    expect(waiting.map(({ room }) => room['ios'])).toEqual([112])
    waiting[0]?.answer(by)
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
  }
  for (const [by, calls] of [
    ['two', 2],
    ['three', 3],
    ['four', 4],
    ['five', 4],
  ] as const) {
    waiting[0]?.answer(by)
    await vi.waitFor(() => expect(waiting).toHaveLength(calls))
  }
  for (const one of [...waiting]) one.answer('one')
  await vi.waitFor(() => expect(waiting.map(({ room }) => room['ios'])).toEqual([28, 28, 28, 28]))
  const stopped = stop()
  for (const one of [...waiting]) one.answer('one')
  await stopped
  expect(waiting).toHaveLength(0)
})

test('when processes of audience go, surplus calls end and one goes on; a batch in a last answer is delivered', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { waiting, delivered, stop } = givenWaiting()
  for (const [by, calls] of [
    ['one', 1],
    ['two', 2],
  ] as const) {
    waiting[0]?.answer(by)
    await vi.waitFor(() => expect(waiting).toHaveLength(calls))
  }
  vi.advanceTimersByTime(31_000)
  const batch = { batchId: 'of the last answer' } as GivenBatch
  for (const one of [...waiting]) one.answer('one', [batch])
  await vi.waitFor(() => expect(delivered).toEqual([batch, batch]))
  await vi.waitFor(() => expect(waiting).toHaveLength(1))
  const stopped = stop()
  waiting[0]?.answer('one')
  await stopped
  vi.useRealTimers()
})
