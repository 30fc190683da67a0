// Posts many requests. It runs as a process, so that its CPU time is in no figure of the bench. It gets its jobs and gives their results by IPC.
import { setTimeout as wait } from 'node:timers/promises'
import { toSimulator } from '@herald/testing/herald'
import { openConnection, type Connection } from './http-connection.ts'

export type PostJob = {
  /** `http://127.0.0.1:<port>`, and the path to which the requests go. */
  baseUrl: string
  path: string
  headers: Record<string, string>
  /** A request's body is `before`, one of the values in turn, `between` and the request's number (only when `between` is given), and `after`. */
  body: { before: string; between?: string; after: string }
  values: string[]
  /** `from` is the number of the first request, and `count` is how many requests are made at most. */
  from: number
  count: number
  /** The status that answers must have. */
  status: number
  connections: number
  /** No request begins after this many seconds. */
  withinSeconds: number
  /**
   * When given, a post waits while `size` posts have no push yet that the simulator has accepted. `accepted` is how many pushes of the platform the
   * simulator had accepted before the job; they are subtracted.
   */
  window?: { simulator: string; size: number; platform: 'ios' | 'android'; accepted: number }
  /**
   * When given, this many requests are due each second, whether or not earlier requests were answered. A request begins when it is due, or later when
   * no connection is free; `answeredMs` then counts from the time when it was due.
   */
  perSecond?: number
  /** Whether the result has the field `postedAt`. */
  times?: boolean
}

export type PostResult = {
  posted: number
  /** The seconds from the first request to the last answer. */
  seconds: number
  /** The first five answers with another status. */
  wrong: string[]
  wrongCount: number
  answeredMs: { p50: number; p99: number; max: number }
  cpuSeconds: number
  /** When each request began (with `perSecond`: when it should have begun), in Unix milliseconds, in the order of the requests' numbers. */
  postedAt: number[]
}

const now = () => performance.timeOrigin + performance.now()
async function post(job: PostJob): Promise<PostResult> {
  const { from, values, withinSeconds, window, perSecond } = job
  // With `perSecond` the number of requests is computed before the first one, because a connection takes its request before the request is due, and
  // would take one that is due only after the end.
  const count = perSecond === undefined ? job.count : Math.min(job.count, Math.ceil(perSecond * withinSeconds))
  const head = Object.entries({ 'content-type': 'application/json', ...job.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const cpuBefore = process.cpuUsage()
  const startedAt = now()
  const endsAt = startedAt + withinSeconds * 1000
  const postedAt: number[] = []
  const tookMs: number[] = []
  const wrong: string[] = []
  let wrongCount = 0
  let next = 0
  let accepted = 0
  let over = false
  /** Resolves after the next check of the simulator. All connections that find the window full wait for the same check. */
  let look = Promise.withResolvers<void>()

  const watch = async ({ simulator, platform, accepted: before }: NonNullable<PostJob['window']>) => {
    const connection = openConnection(simulator)
    while (!over) {
      const { body } = await connection.ask('GET', '/summary?open=false', `authorization: ${toSimulator.authorization}\r\n`)
      accepted = ((JSON.parse(body) as { accepted: Record<string, number> }).accepted[platform] ?? 0) - before
      look.resolve()
      look = Promise.withResolvers<void>()
      await wait(10)
    }
    connection.close()
  }

  const work = async (connection: Connection) => {
    while (next < count && now() < endsAt && wrongCount < 100) {
      if (window && next - accepted >= window.size) {
        await look.promise
        continue
      }
      const n = next++
      const dueAt = perSecond === undefined ? now() : startedAt + (n * 1000) / perSecond
      if (dueAt > now()) await wait(dueAt - now())
      postedAt[n] = dueAt
      const number = job.body.between === undefined ? '' : `${job.body.between}${from + n}`
      const body = `${job.body.before}${values[n % values.length]}${number}${job.body.after}`
      const reply = await connection.ask('POST', job.path, head, body).catch((error: Error) => ({ status: 0, body: error.message }))
      tookMs[n] = now() - dueAt
      if (reply.status === job.status) continue
      wrongCount += 1
      if (wrong.length < 5) wrong.push(`${reply.status} ${reply.body.slice(0, 200)}`)
    }
    connection.close()
  }

  const watched = window && watch(window)
  await Promise.all(Array.from({ length: job.connections }, () => work(openConnection(job.baseUrl))))
  const seconds = (now() - startedAt) / 1000
  over = true
  await watched
  const { user, system } = process.cpuUsage(cpuBefore)
  const sorted = Float64Array.from(tookMs).toSorted()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    posted: next,
    seconds,
    wrong,
    wrongCount,
    answeredMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
    cpuSeconds: (user + system) / 1e6,
    postedAt: job.times === true ? postedAt : [],
  }
}

process.on('message', (job: PostJob) => {
  post(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
// The bench has ended, so this process ends too.
process.on('disconnect', () => process.exit(0))
