import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Answer, Serve } from './request.ts'

const maxBodyBytes = 1_048_576

/** Serves requests over HTTP/1.1: gives the listener of a node:http server. */
export const serveHttp1 =
  (serve: Serve): RequestListener =>
  (message, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    message.on('error', () => undefined)
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBodyBytes) message.destroy()
      else chunks.push(chunk)
    })
    message.on('end', () => {
      const headers: Record<string, string> = {}
      for (const [name, value] of Object.entries(message.headers)) headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
      const answer = serve({ method: message.method ?? '', path: message.url ?? '', headers, body: Buffer.concat(chunks) })
      if (answer.ending === 'silence') return
      if (answer.delayMs) setTimeout(() => respond(message, response, answer), answer.delayMs)
      else respond(message, response, answer)
    })
  }

function respond(message: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (answer.ending === 'reset') {
    message.socket.destroy()
    return
  }
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) }).end(answer.body)
}
