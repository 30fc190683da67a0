import { client, dataOf, sendWithin } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import type { components } from '../../api/schema.gen.ts'

export type TestResult = components['schemas']['SendTestAnswer']['results'][number]
type Body = components['schemas']['SendTestBody']

/** After this time the page stops asking for the outcome; the log shows it later. */
const mostMs = 60_000

/**
 * Sends a test and waits for its outcome. Herald answers within ten seconds, perhaps before there is an outcome. The same request with the same
 * idempotency key then asks again and sends nothing.
 */
export async function sendTest(
  appId: string,
  body: Body,
  signal: AbortSignal,
): Promise<{ id: string; results: TestResult[]; isOver: boolean }> {
  const key = crypto.randomUUID()
  const until = Date.now() + mostMs
  let last: { id: string; results: TestResult[]; isOver: boolean } | undefined
  while (Date.now() < until) {
    try {
      const answer = await client.POST('/v1/admin/apps/{appId}/test-send', {
        params: { path: { appId }, header: { 'Idempotency-Key': key } },
        body,
        signal,
        fetch: sendWithin(20_000),
      })
      const { id, results } = dataOf(answer)
      last = { id, results, isOver: answer.response.status === 200 }
      if (last.isOver) return last
    } catch (error) {
      const { code } = faultOf(error)
      if (signal.aborted || (code !== 'timeout' && code !== 'idempotency_in_progress')) throw error
    }
    await pause(500, signal)
  }
  if (last === undefined) throw new Error('No result after a minute. Check the log.')
  return last
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(new DOMException('Stopped', 'AbortError'))), { once: true })
  })
