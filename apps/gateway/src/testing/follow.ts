import { request, type IncomingHttpHeaders } from 'node:http'

export type Following = {
  status: number
  headers: IncomingHttpHeaders
  text(): string
  /** The events that have come completely, without heartbeats: name and data. */
  events(): { name: string; data: Record<string, unknown> }[]
  /** How the stream ended: `end` when the gateway ended it, `error` when the connection broke; undefined while it is open. */
  ended(): 'end' | 'error' | undefined
  leave(): void
}

/** Opens a stream of server-sent events and collects what comes. */
export function follow(port: number, path: string, headers: Record<string, string>): Promise<Following> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let text = ''
      let ended: 'end' | 'error' | undefined
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => (ended ??= 'end'))
      response.on('error', () => (ended ??= 'error'))
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        events: () =>
          [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)]
            .map(([, name = '', data = '']) => ({ name, data: JSON.parse(data) as Record<string, unknown> }))
            .filter(({ name }) => name !== 'heartbeat'),
        ended: () => ended,
        leave: () => void asked.destroy(),
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}
