import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

export type Posted = { status: number; body: string }
export type Poster = { post: (url: string, headers: Record<string, string>, body?: unknown) => Promise<Posted>; close: () => void }

const timeLimitMs = 10_000

/**
 * Posts JSON over at most `concurrency` connections to each server, which stay open. The status is 0 when the connection failed or no answer came
 * within 10 s.
 */
export function openPoster(concurrency: number): Poster {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: concurrency }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: concurrency }),
  }
  return {
    post: (address, headers, body) =>
      new Promise((resolve) => {
        const url = new URL(address)
        const text = body === undefined ? '' : JSON.stringify(body)
        const isSecure = url.protocol === 'https:'
        const request = (isSecure ? requestHttps : requestHttp)(url, {
          method: 'POST',
          agent: agents[isSecure ? 'https:' : 'http:'],
          headers: { ...headers, ...(text && { 'content-type': 'application/json' }), 'content-length': Buffer.byteLength(text) },
          signal: AbortSignal.timeout(timeLimitMs),
        })
        const failed = (error: Error) => resolve({ status: 0, body: error.message })
        request.on('error', failed)
        // A server that switches protocols has closed the connection by now, and Node tells only this.
        request.on('close', () => resolve({ status: 0, body: 'no answer' }))
        request.on('response', (response) => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', (part: string) => (answer += part))
          response.on('error', failed)
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: answer }))
        })
        request.end(text)
      }),
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}
