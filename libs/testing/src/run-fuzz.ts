import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fuzzRequests, whyNotDocumented, type ApiDocument, type Credentials, type FuzzRequest, type FuzzResponse } from './fuzz-requests.ts'

export type FuzzReport = {
  asked: number
  seconds: number
  /** How many times each pair of operation and status came; the status is `none` when no answer came. */
  seen: Map<string, number>
  /** The first few of the requests that were not answered as documented, or not at all. */
  failures: { why: string; request: string; answer: string }[]
  failed: number
}

const shownFailures = 20
const patienceMs = 20_000
const busyMs = 2_000

/** Sends generated requests to a running API and checks each answer by the API's own document. */
export async function runFuzz({
  baseUrl,
  document,
  credentials,
  count,
  seed,
  concurrency = 16,
}: {
  baseUrl: string
  document: ApiDocument
  credentials: Credentials
  count: number
  seed: number
  concurrency?: number
}): Promise<FuzzReport> {
  const requests = fuzzRequests(document, credentials, seed)
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const report: FuzzReport = { asked: 0, seconds: 0, seen: new Map(), failures: [], failed: 0 }
  const startedAt = performance.now()

  const work = async () => {
    while (report.asked < count) {
      report.asked += 1
      const request = requests.next()
      let told = await send(agent, baseUrl, request).catch((error: unknown) => String(error))
      // 503 asks for the request again. That answer is judged, so that a machine that stood still for two seconds fails no run.
      if (typeof told !== 'string' && told.status === 503) {
        await sleep(busyMs)
        told = await send(agent, baseUrl, request).catch((error: unknown) => String(error))
      }
      if (typeof told !== 'string' && told.status < 300) requests.learn(request, told.text)
      const outcome = `${request.name} ${typeof told === 'string' ? 'none' : told.status}`
      report.seen.set(outcome, (report.seen.get(outcome) ?? 0) + 1)
      const why = typeof told === 'string' ? told : whyNotDocumented(document, request, told)
      if (why === undefined) continue
      report.failed += 1
      if (report.failures.length < shownFailures)
        report.failures.push({ why, request: shown(request), answer: JSON.stringify(told).slice(0, 500) })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  agent.destroy()
  return { ...report, seconds: (performance.now() - startedAt) / 1000 }
}

/** Gives a request as text, without its key. */
const shown = ({ method, path, headers, body }: FuzzRequest): string => {
  const { authorization: _bearer, 'x-app-key': _key, ...others } = headers
  return `${method} ${path} ${JSON.stringify(others)} ${body?.toString().slice(0, 1_000) ?? ''}`
}

function send(agent: Agent, baseUrl: string, { method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = httpRequest({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      )
    })
    request.setTimeout(patienceMs, () => request.destroy(new Error(`no answer within ${patienceMs} ms`)))
    request.on('error', reject)
    request.end(body)
  })
}
