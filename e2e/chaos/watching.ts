import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Watched<Result> = { result: Result; health: { p50: number; p99: number }; memory: number }

/** Does work, and meanwhile asks /health every 50 ms and reads the memory of the gateway. `memory` is the most that was seen. */
export async function watching<Result>(baseUrl: string, pid: number | undefined, work: () => Promise<Result>): Promise<Watched<Result>> {
  const stop = new AbortController()
  const times: number[] = []
  let memory = 0
  const watch = async () => {
    const agent = new Agent({ keepAlive: true })
    while (!stop.signal.aborted) {
      const startedAt = performance.now()
      await ask(`${baseUrl}/health`, 'GET', {}, '', agent)
      times.push(performance.now() - startedAt)
      if (pid !== undefined)
        memory = Math.max(memory, Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024)
      await sleep(50)
    }
    agent.destroy()
  }
  const watched = watch()
  const result = await work().finally(() => stop.abort())
  await watched
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 10) / 10
  return { result, health: { p50: at(0.5), p99: at(0.99) }, memory }
}

/** Makes a request and gives the status of its answer; 0 when the connection broke before. */
export function ask(url: string, method: string, headers: Record<string, string>, body: string | Buffer, agent?: Agent): Promise<number> {
  return new Promise((resolve) => {
    const length = body.length > 0 ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } : {}
    const asked = request(url, { method, headers: { ...length, ...headers }, ...(agent && { agent }), timeout: 20_000 }, (answer) => {
      answer.resume()
      answer.on('close', () => resolve(answer.statusCode ?? 0))
    })
    asked.on('error', () => resolve(0))
    asked.on('timeout', () => asked.destroy())
    asked.end(body)
  })
}
