import { fault, Fault, notFound } from '@herald/contracts/fault'

/**
 * Asks the simulator through its control API. Faults: not_found (no simulator, or no such device), queue_unavailable,
 * invalid_state.
 */
export type Simulator = {
  ask<Answer>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, asked?: { query?: Query; body?: unknown }): Promise<Answer>
}
type Query = Readonly<Record<string, string | number | undefined>>

/** The simulator must answer within this time. It runs on this machine or near it, so a longer silence means that it hangs. */
const withinMs = 5_000
/**
 * An answer of the simulator is read up to this many bytes and no further. That is enough: its largest answer has 200 pushes of 4 KiB and what the
 * simulator knows of them, which are fewer bytes.
 */
const largestAnswer = 4_000_000

/** Opens the connection to the simulator. Without a `url` the providers are real, and there is no simulator to ask. Every call bears the token. */
export function openSimulator(url: string | undefined, token?: string): Simulator {
  const control = url?.replace(/\/+$/, '')
  return {
    async ask<Answer>(method: string, path: string, { query = {}, body }: { query?: Query; body?: unknown } = {}): Promise<Answer> {
      if (control === undefined) throw notFound()
      const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      )
      const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
      const response = await reach(`${control}${path}${search}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await textOf(response)
      if (response.ok) return JSON.parse(text) as Answer
      const problem = errorOf(text)
      if (response.status === 400 && problem.startsWith('id: there is no device')) throw notFound()
      if (response.status === 400) throw fault('invalid_state', `The simulator refuses this: ${problem}.`)
      throw away()
    },
  }
}

const away = (cause?: unknown): Fault =>
  new Fault('queue_unavailable', 'The simulator of the push services does not answer. Try again shortly.', undefined, cause, 1)

async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(withinMs) })
  } catch (error) {
    throw away(error)
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > largestAnswer) throw new Error('the simulator answers too much')
      parts.push(part)
    }
  } catch (error) {
    throw away(error)
  }
  return Buffer.concat(parts).toString()
}

function errorOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : 'no reason given'
  } catch {
    return 'no reason given'
  }
}
