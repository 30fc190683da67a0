import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '@herald/testing/at-end'

type Asked = { method: string; path: string; query: Record<string, string>; body: unknown }
type Answer = { status?: number; body: unknown }

/** What the fake wants every call to bear. */
const controlToken = 'control-token-0123456789-0123456789'

/** A fake of the simulator's control API: what it was asked, and what it answers. */
export type PlayedSimulator = {
  /** The settings of a gateway that asks it. */
  settings: { SIMULATOR_CONTROL_URL: string; SIMULATOR_CONTROL_TOKEN: string }
  asked: Asked[]
  /** The answers, by method and path as in `GET /devices`. A function gets what was asked; when it gives undefined, the request is never answered. */
  answers: Map<string, (asked: Asked) => Answer | undefined>
}

export const device = {
  id: 'ios-300',
  platform: 'ios',
  name: 'Dana’s iPhone',
  byHand: true,
  subscriptionId: null,
  environment: 'production',
  behaviour: { answer: 'ok', retryAfterSeconds: null, delayMs: null },
}

export async function startSimulator(): Promise<PlayedSimulator> {
  const asked: Asked[] = []
  const ok = (body: unknown) => () => ({ body })
  const answers: PlayedSimulator['answers'] = new Map<string, (asked: Asked) => Answer | undefined>([
    ['POST /accounts', ok({})],
    ['GET /devices', ok({ devices: [device], next: null })],
    ['POST /devices', ok({ devices: [{ id: 'ios-300', platform: 'ios', token: 'ab'.repeat(32) }] })],
    ['PUT /devices/ios-300/subscription', ({ body }: Asked) => ({ body: { ...device, ...(body as object) } })],
    ['PUT /devices/ios-300/behaviour', ok(device)],
    ['DELETE /devices/ios-300', ok({})],
    ['GET /pushes/newest', ok({ pushes: [] })],
    ['GET /pushes/tail', ok({ last: 0, dropped: 0, pushes: [] })],
  ])
  const server = createServer((message, response) => {
    const parts: Buffer[] = []
    message.on('data', (part: Buffer) => parts.push(part))
    message.on('end', () => {
      const { pathname, searchParams } = new URL(message.url ?? '/', 'http://localhost')
      const text = Buffer.concat(parts).toString()
      const it = {
        method: String(message.method),
        path: pathname,
        query: Object.fromEntries(searchParams),
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      }
      const isJson = text === '' || message.headers['content-type'] === 'application/json'
      if (!isJson || message.headers.authorization !== `Bearer ${controlToken}`) return response.writeHead(401).end('{}')
      asked.push(it)
      const unknown = { status: 400, body: { error: `id: there is no device ${pathname}` } }
      const answer = answers.has(`${it.method} ${pathname}`) ? answers.get(`${it.method} ${pathname}`)?.(it) : unknown
      if (answer === undefined) return
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { settings: { SIMULATOR_CONTROL_URL: url, SIMULATOR_CONTROL_TOKEN: controlToken }, asked, answers }
}
