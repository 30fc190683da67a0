import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type Asked = { method: string; path: string; authorization: string; body: string }
type Answer = { status?: number; body?: unknown } | ((request: IncomingMessage, response: ServerResponse, body: string) => void)

/** Starts an HTTP server in place of Herald. It gives the answer that the test set for a method and path, whatever the query is, or else 404. */
export async function givenHerald(answers: Record<string, Answer>): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const path = request.url ?? ''
      const method = request.method ?? ''
      asked.push({ method, path, authorization: request.headers.authorization ?? '', body })
      const answer = answers[`${method} ${path.split('?')[0]}`]
      response.setHeader('x-request-id', String(request.headers['x-request-id']))
      if (typeof answer === 'function') return answer(request, response, body)
      const { status = 200, body: said } = answer ?? { status: 404, body: { error: { code: 'not_found', message: 'Not found.' } } }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}
