import type { Metrics } from '@herald/service/metrics'

type Answering = { once(event: 'close', heard: () => void): unknown; readonly writableFinished: boolean; readonly statusCode: number }

/** Measures requests. A route is given by its name and never by a path, because a path holds ids. */
export type Measures = {
  request(routeName: string, response: Answering): void
  rateLimited(bucket: string): void
}

/**
 * The upper bounds of the histogram's buckets, in seconds. Most answers take 2 to 50 ms. A campaign's verification, an upload, an export and an event
 * stream may take longer than the last bound.
 */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function openMeasures(metrics: Metrics): Measures {
  const requests = metrics.counter('herald_http_requests_total', 'Requests answered, by route and status.', ['route', 'status'])
  const seconds = metrics.histogram('herald_http_request_seconds', 'From a request’s head to the last byte of its answer.', {
    labelNames: ['route'],
    buckets,
  })
  const limited = metrics.counter('herald_rate_limited_total', 'Requests refused with 429, by bucket.', ['bucket'])
  const counters = new Map<string, { inc: () => void }>()
  const timers = new Map<string, { observe: (value: number) => void }>()

  return {
    request(route, response) {
      const startedAt = performance.now()
      response.once('close', () => {
        const status = response.writableFinished ? String(response.statusCode) : 'gone'
        remembered(counters, `${route} ${status}`, () => requests.labels({ route, status })).inc()
        remembered(timers, route, () => seconds.labels({ route })).observe((performance.now() - startedAt) / 1000)
      })
    },
    rateLimited: (bucket) => limited.inc({ bucket }),
  }
}

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const present = known.get(key)
  if (present !== undefined) return present
  const made = make()
  known.set(key, made)
  return made
}
