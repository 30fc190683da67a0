import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'

/** The error of a wrong request: the HTTP status, 400 when none is given, and a sentence for the caller. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

export type Call = { parameters: string[]; query: Record<string, string>; body: unknown }
/** `path` may hold parts such as `:id`. `answer` gets their values as `parameters`, in order. */
export type Route = readonly [method: string, path: string, answer: (call: Call) => unknown]

/** Where the control API listens. `host` is its name beside localhost and 127.0.0.1. With a `token` every call must bear it. */
export type ControlAddress = { port: number; bindTo: string; host: string; token?: string | undefined }

/** A request that names 60,000 devices by their ids still fits. */
const largestBody = 1024 * 1024

/** Serves routes as JSON over HTTP. The first route whose method and path fit a request answers it; when none does, the answer is 404. */
export async function serveRoutes(
  { port, bindTo, host, token }: ControlAddress,
  routes: readonly Route[],
): Promise<{ port: number; close: () => void }> {
  const compiled = routes.map(([method, path, answer]) => ({
    method,
    pattern: new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`),
    answer,
  }))

  const names = new Set(['localhost', '127.0.0.1', host])
  async function respond(message: IncomingMessage): Promise<{ status: number; body: unknown }> {
    refuseStrangers(message, names, token)
    const url = new URL(message.url ?? '/', 'http://localhost')
    for (const { method, pattern, answer } of compiled) {
      const match = method === message.method ? pattern.exec(url.pathname) : null
      if (!match) continue
      const body = await readBody(message)
      return { status: 200, body: (await answer({ parameters: match.slice(1), query: Object.fromEntries(url.searchParams), body })) ?? {} }
    }
    throw new ControlError(`there is no ${message.method} ${url.pathname}`, 404)
  }

  const server = createServer({ requestTimeout: 30_000 }, (message, response) => {
    void respond(message)
      .catch((error: unknown) =>
        error instanceof ControlError
          ? { status: error.status, body: { error: error.message } }
          : { status: 500, body: { error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' } },
      )
      .then(({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, bindTo, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Checks a value against a schema. Throws a ControlError that names the first wrong field. */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new ControlError(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`)
}

/**
 * Refuses what a web page can make a browser send here: a Host that was rebound to this address, and an Origin of another site. The Host's port is
 * not compared, because a container's port has another number outside.
 */
function refuseStrangers({ headers }: IncomingMessage, names: ReadonlySet<string>, token: string | undefined): void {
  const { host = '', origin, authorization = '' } = headers
  if (!names.has(host.replace(/:\d+$/, ''))) throw new ControlError('Host: is not a name of the simulator', 403)
  if (origin !== undefined && origin !== `http://${host}`) throw new ControlError('Origin: is another site', 403)
  if (token !== undefined && !isSame(authorization, `Bearer ${token}`)) throw new ControlError('Authorization: bears the wrong token', 401)
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted))

async function readBody(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  // The rest of a body that is too large is read and dropped, so that the client hears the answer.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > largestBody) throw new ControlError(`body: is larger than ${largestBody} bytes`, 413)
    chunks.push(chunk as Buffer)
  }
  if (size > 0 && !/^application\/json\s*(;|$)/i.test(message.headers['content-type'] ?? ''))
    throw new ControlError('Content-Type: must be application/json', 415)
  const text = Buffer.concat(chunks).toString()
  if (text === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ControlError('body: not JSON')
  }
}

/** Gives the only one of the values. When there are several or none it throws an error, because the caller must name one in `field`. */
export function onlyOne(field: string, values: string[]): string {
  const [value] = values
  if (value === undefined || values.length > 1) throw new ControlError(`${field}: is required, there are ${values.length} to choose from`)
  return value
}
