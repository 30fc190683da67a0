import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

export type Told = { status: number; headers: IncomingHttpHeaders; text: string; body: Json }
type Json = { [name: string]: unknown; error?: { code: string; message: string; details?: { path: string; message: string }[] } }

export type Question = { method?: string; path: string; headers?: Record<string, string | string[]>; body?: unknown; raw?: string | Buffer }

/** Sends one request on a connection of its own. `body` is sent as JSON, `raw` as it is; path and headers go out unchanged. */
export function ask(port: number, { method = 'GET', path, headers = {}, body, raw }: Question): Promise<Told> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) })
        })
        response.on('error', reject)
      },
    )
    request.setTimeout(20_000, () => request.destroy(new Error(`${method} ${path} had no answer within 20 s`)))
    request.on('error', reject)
    request.end(payload)
  })
}

/** Writes bytes to a new connection and gives what came back until the gateway closed it. */
export function askRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('error', () => undefined)
    socket.setTimeout(20_000, () => {
      socket.destroy()
      reject(new Error('the connection stayed open for 20 s'))
    })
  })
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
