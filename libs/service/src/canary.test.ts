import { testService } from '@herald/testing/service'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchQueue } from './canary.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function givenQueue({ isFull }: { isFull: boolean }) {
  const service = testService('audience', {})
  const queue = { isFull, canaries: [] as string[], errors: [] as string[] }
  service.log.error = (_: unknown, message?: string) => void queue.errors.push(message ?? '')
  const alarm = watchQueue(service, async (subject) => {
    queue.canaries.push(subject)
    alarm.published(subject, !queue.isFull)
  })
  const isWritable = async () => /^herald_queue_writable (\d)$/m.exec(await service.metrics.text())?.[1]
  return { queue, alarm, isWritable, service }
}

// spec: cluster/cannot-store
test('while NATS stores nothing one alarm is raised until a canary is stored; a stopped service publishes none', async () => {
  const { queue, isWritable, service } = givenQueue({ isFull: false })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await isWritable()).toBe('1')

  queue.isFull = true
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await isWritable()).toBe('1')
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await isWritable()).toBe('0')
  expect(queue.errors).toEqual([expect.stringMatching(/disk .* full .* or most of its servers are away/)])

  queue.isFull = false
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await isWritable()).toBe('1')
  expect(new Set(queue.canaries)).toEqual(new Set(['canary.audience']))

  await service.stop()
  const sent = queue.canaries.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(queue.canaries).toHaveLength(sent)
})

// spec: cluster/cannot-store
test('failures with a success every twenty seconds between them, as elections make them, raise no alarm', async () => {
  const { queue, alarm, isWritable } = givenQueue({ isFull: false })
  for (let second = 0; second < 120; second += 1) {
    alarm.published('work.fan-out', second % 20 === 0)
    await vi.advanceTimersByTimeAsync(1_000)
  }

  expect(await isWritable()).toBe('1')
  expect(queue.errors).toEqual([])
})

// spec: cluster/cannot-store
test('when one stream stores nothing for half a minute an alarm is raised, although another stream stores messages', async () => {
  const { alarm, isWritable } = givenQueue({ isFull: false })
  for (let second = 0; second < 33; second += 1) {
    alarm.published('work.fan-out', false)
    alarm.published('event.push.settled', true)
    await vi.advanceTimersByTimeAsync(1_000)
  }

  expect(await isWritable()).toBe('0')
})
