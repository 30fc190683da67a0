import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the stand-in does with one request: it answers, or fails in one of several ways. */
export type Step =
  | { does: 'answer'; status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  /** Answers with the method, path, headers and body of the request. */
  | { does: 'echo' }
  /** Reads the request and closes the connection without an answer. */
  | { does: 'drop' }
  /** Closes the connection in the middle of the answer. */
  | { does: 'cut' }
  /** Never answers. */
  | { does: 'hang' }
  /** Answers with one line of a stream and leaves the stream open. */
  | { does: 'stream' }

export type Heard = { method: string; path: string; headers: Record<string, string>; body: string; at: number }
type Scene = { steps: Step[]; heard: Heard[]; closed: number }

/**
 * Starts a server in place of Herald for testing/suite.ts. A test puts steps at `/scenes/<name>`; each request below `/<name>` takes the next,
 * repeating the last. `GET /scenes/<name>` gives the requests and the number of closed streams.
 */
export async function startStandIn(): Promise<{ url: string; stop: () => Promise<void> }> {
  const scenes = new Map<string, Scene>()
  const server = createServer((request, response) => void serve(scenes, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(scenes: Map<string, Scene>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = Buffer.concat(parts).toString()
  const [, name = '', ...rest] = (request.url ?? '').split('/')
  const scene = scenes.get(name === 'scenes' ? (rest[0] ?? '') : name)
  if (name === 'scenes' && request.method === 'PUT') {
    scenes.set(rest[0] ?? '', { steps: JSON.parse(body) as Step[], heard: [], closed: 0 })
    return void response.end('{}')
  }
  if (!scene) return void response.writeHead(500).end('no such scene')
  if (name === 'scenes') return void response.end(JSON.stringify({ heard: scene.heard, closed: scene.closed }))
  const headers = Object.fromEntries(Object.entries(request.headers).map(([header, value]) => [header, String(value)]))
  const heard = { method: request.method ?? '', path: `/${rest.join('/')}`, headers, body, at: Date.now() }
  scene.heard.push(heard)
  play(scene, (scene.steps.length > 1 ? scene.steps.shift() : scene.steps[0]) ?? { does: 'drop' }, heard, request, response)
}

function play(scene: Scene, step: Step, heard: Heard, request: IncomingMessage, response: ServerResponse): void {
  if (step.does === 'drop') return void request.socket.destroy()
  if (step.does === 'hang') return
  if (step.does === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
    response.write('{"id":')
    setTimeout(() => request.socket.destroy(), 30)
    return
  }
  if (step.does === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: first\n\n')
    response.once('close', () => (scene.closed += 1))
    return
  }
  const answer = step.does === 'echo' ? { status: 200, body: heard } : step
  response.writeHead(answer.status, {
    'content-type': 'text' in answer ? 'text/html' : 'application/json',
    'x-request-id': heard.headers['x-request-id'] ?? '',
    ...('headers' in answer ? answer.headers : {}),
  })
  response.end('text' in answer ? answer.text : answer.body === undefined ? '' : JSON.stringify(answer.body))
}
