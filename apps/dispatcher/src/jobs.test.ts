import { Fault } from '@herald/contracts/fault'
import { afterEach, expect, test, vi } from 'vitest'
import type { Answer } from './core/answer.ts'
import { batchesAtOnce, openJobs } from './jobs.ts'

afterEach(() => void vi.useRealTimers())

test('a dispatcher works on a fixed number of batches per platform and lane; the next waits until one ends', async () => {
  const jobs = openJobs()
  const places = await Promise.all(Array.from({ length: batchesAtOnce.bulk }, () => jobs.enter('ios', 'bulk', 'app')))
  let entered = false
  const next = jobs.enter('ios', 'bulk', 'app').then(() => (entered = true))
  await jobs.enter('android', 'bulk', 'app')
  await jobs.enter('ios', 'prompt', 'app')
  expect(entered).toBe(false)
  places[0]?.leave()
  await next
  expect(entered).toBe(true)
})

test('a dispatcher that stops refuses new batches and the batches that wait for a place', async () => {
  const jobs = openJobs()
  const places = await Promise.all(Array.from({ length: batchesAtOnce.bulk }, () => jobs.enter('ios', 'bulk', 'app')))
  const waiting = jobs.enter('ios', 'bulk', 'app')
  const inWork = Promise.withResolvers<void>()
  jobs.add(inWork.promise)
  const stopped = jobs.stop()
  const late = jobs.enter('web', 'prompt', 'app')
  places[0]?.leave()
  inWork.resolve()
  await expect(waiting).rejects.toBeInstanceOf(Fault)
  await expect(late).rejects.toBeInstanceOf(Fault)
  await stopped
  expect(jobs.stopping.aborted).toBe(true)
})

test('a dispatcher that stops waits for the pushes in flight, but at most 8 s', async () => {
  vi.useFakeTimers()
  const jobs = openJobs()
  let answer: Answer | undefined
  jobs.add(
    new Promise((resolve) => {
      jobs.onCutOff((given) => {
        answer = given
        resolve()
      })
    }),
  )
  const stopped = jobs.stop()
  await vi.advanceTimersByTimeAsync(7_999)
  expect(answer).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await stopped
  expect(answer).toMatchObject({ is: 'unanswered', why: 'timeout' })
})
