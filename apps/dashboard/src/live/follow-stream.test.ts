import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Stand-ins for the browser's EventSource and document. With them a test opens and breaks streams, and hides the tab.
class Source extends EventTarget {
  static all: Source[] = []
  isClosed = false
  readonly path: string
  constructor(path: string) {
    super()
    this.path = path
    Source.all.push(this)
  }
  close(): void {
    this.isClosed = true
  }
  say(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }))
  }
}
const page = Object.assign(new EventTarget(), { hidden: false })
const hide = (hidden: boolean): void => {
  page.hidden = hidden
  page.dispatchEvent(new Event('visibilitychange'))
}
let status = 200
let stopLast = (): void => undefined

beforeEach(() => {
  vi.useFakeTimers()
  Source.all = []
  page.hidden = false
  status = 200
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', new URL('https://push.example.com/dashboard/'))
  vi.stubGlobal('fetch', async () => {
    if (status === 0) throw new TypeError('nobody answers')
    return Response.json({ error: { code: 'x', message: 'no' } }, { status })
  })
})
afterEach(() => {
  stopLast()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function follow() {
  const { followStream } = await import('./follow-stream.ts')
  const heard: unknown[] = []
  const states: string[] = []
  let polls = 0
  const stop = followStream('/v1/stream', ['push'], {
    hear: (name, data) => heard.push([name, data]),
    poll: () => (polls += 1),
    tell: (state) => states.at(-1) !== state && states.push(state),
  })
  stopLast = stop
  return { heard, states, stop, polls: () => polls }
}
const latest = (): Source => Source.all.at(-1) ?? new Source('none')
const breakLatest = async (): Promise<void> => {
  latest().dispatchEvent(new Event('error'))
  await vi.advanceTimersByTimeAsync(0)
}

test("an event of the stream reaches the page under the event's name", async () => {
  const { heard, states } = await follow()
  latest().dispatchEvent(new Event('open'))
  latest().say('push', { seq: 1 })
  expect(heard).toEqual([['push', { seq: 1 }]])
  expect(states).toEqual(['live'])
})

// spec: dashboard/streams
test('a page closes its stream while its tab is hidden, and opens the stream again when the tab is visible', async () => {
  const { states } = await follow()
  latest().dispatchEvent(new Event('open'))
  hide(true)
  expect(latest().isClosed).toBe(true)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(Source.all).toHaveLength(1)
  hide(false)
  expect(Source.all).toHaveLength(2)
  expect(states).toEqual(['live', 'closed'])
})

// spec: dashboard/streams
test('a broken stream is opened again after 1 s and 2 s; after 3 s the page says so', async () => {
  const { states } = await follow()
  latest().dispatchEvent(new Event('open'))
  await breakLatest()
  await vi.advanceTimersByTimeAsync(999)
  expect(Source.all).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(Source.all).toHaveLength(2)
  expect(states).toEqual(['live'])
  await breakLatest()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(Source.all).toHaveLength(3)
  expect(states).toEqual(['live', 'reconnecting'])
  latest().dispatchEvent(new Event('open'))
  expect(states).toEqual(['live', 'reconnecting', 'live'])
})

// spec: dashboard/streams
test('while the gateway is away the page tries every 4 s at least, so that it is soon live again', async () => {
  const { states } = await follow()
  latest().dispatchEvent(new Event('open'))
  status = 0
  for (const seconds of [1, 2, 4, 4, 4]) {
    await breakLatest()
    const tries = Source.all.length
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1)
    expect(Source.all).toHaveLength(tries)
    await vi.advanceTimersByTimeAsync(1)
    expect(Source.all).toHaveLength(tries + 1)
  }
  // The gateway has not refused the stream, so the page does not say that too many operators watch.
  expect(states).toEqual(['live', 'reconnecting'])
})

// spec: dashboard/streams
test('heartbeats keep a stream without events live, and the page does not get them as events', async () => {
  const { heard, states } = await follow()
  latest().dispatchEvent(new Event('open'))
  for (let beat = 0; beat < 6; beat += 1) {
    await vi.advanceTimersByTimeAsync(10_000)
    latest().say('heartbeat', {})
  }
  expect(Source.all).toHaveLength(1)
  expect(states).toEqual(['live'])
  expect(heard).toEqual([])
})

// spec: dashboard/streams
test('when a stream brings neither event nor heartbeat for 15 s, the page opens a new one and says so', async () => {
  const { states } = await follow()
  latest().dispatchEvent(new Event('open'))
  latest().say('heartbeat', {})
  await vi.advanceTimersByTimeAsync(10_000)
  expect(states).toEqual(['live'])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(states).toEqual(['live', 'reconnecting'])
  expect(Source.all.map(({ isClosed }) => isClosed)).toEqual([true, false])
  latest().dispatchEvent(new Event('open'))
  expect(states).toEqual(['live', 'reconnecting', 'live'])
})

// spec: dashboard/streams
test('when the gateway does not answer a request for a stream within 15 s, the page makes the request again', async () => {
  const { states } = await follow()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(Source.all.map(({ isClosed }) => isClosed)).toEqual([true, false])
  expect(states).toEqual(['reconnecting'])
})

// spec: dashboard/streams
test('after a stream was refused three times in a row the page reads every 2 s, until one opens', async () => {
  const { states, polls } = await follow()
  for (const seconds of [1, 2]) {
    await breakLatest()
    await vi.advanceTimersByTimeAsync(seconds * 1_000)
  }
  await breakLatest()
  expect(polls()).toBe(1)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(polls()).toBe(3)
  expect(states).toEqual(['reconnecting', 'polling'])
  latest().dispatchEvent(new Event('open'))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(polls()).toBe(3)
  expect(states.at(-1)).toBe('live')
})

test('after a page stops following a broken stream, no timer is left and no stream is opened again', async () => {
  const { stop, heard } = await follow()
  await breakLatest()
  stop()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(Source.all).toHaveLength(1)
  expect(heard).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
